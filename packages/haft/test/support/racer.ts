// A workspace in which another program exchanges a folder with a link that leads out of it, and calls of every kind that
// are made meanwhile. Nothing outside may be made, changed, removed or shown.
import { spawn, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isWithin } from "@haft/core/tool";
import { createHaft } from "../../src/app/create-haft.ts";

/**
 * Exchanges two names and exchanges them back, for at most so many seconds and as long as its parent lives. Short pauses meet
 * the steps of one call, long ones let some calls come to their end.
 */
const RACER = [
  "my ($call, $a, $b, $seconds) = @ARGV; my $parent = getppid(); my $end = time + $seconds; $| = 1; print qq(begun\\n);",
  "sub swap { syscall($call + 0, -100, $a, -100, $b, 2) }",
  "while (time < $end && getppid() == $parent) { for (1 .. rand(8)) { swap(); swap(); }",
  "swap(); select(undef, undef, undef, rand(0.004)); swap(); select(undef, undef, undef, rand() < 0.1 ? 0.2 : rand(0.03)); }",
].join(" ");

const RENAMEAT2: Readonly<Record<string, string>> = { x64: "316", arm64: "276" };

/** Perl makes system calls for which Node has no function. */
export const hasPerl = process.platform === "linux" && spawnSync("perl", ["-e", "1"]).status === 0;

export type RaceKind = (typeof KINDS)[number];
export const KINDS = [
  ...["touch", "rm", "mv", "mkdir", "chmod", "cat", "inside"],
  ...["Edit", "Write", "apply_patch", "NotebookEdit", "Read", "Glob", "Grep"],
  ...["undo", "redo", "held commit"],
] as const;

/** What stood outside and does not any more, or was not there before; and what a call showed of it. */
export interface RaceResult {
  readonly leaks: readonly string[];
  /** Calls that did what they were to do: a race in which none does shows nothing. */
  readonly succeeded: number;
}

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: "code", id: "one", source: ["1"], metadata: {}, outputs: [], execution_count: null }],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
});
const patch = (...lines: string[]) => ({ input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

export async function race(kind: string, count: number, seconds = 20): Promise<RaceResult> {
  const base = realpathSync(mkdtempSync("/var/tmp/haft-race-"));
  const [ws, outside] = [join(base, "work"), join(base, "outside")];
  for (const folder of [join(ws, "d"), outside]) mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: 8 }, (_, index) => `f${index}.txt`);
  for (const name of names) {
    writeFileSync(join(ws, "d", name), "inside\n");
    writeFileSync(join(outside, name), "SECRET\n");
  }
  writeFileSync(join(ws, "d/n.ipynb"), NOTEBOOK);
  writeFileSync(join(outside, "n.ipynb"), NOTEBOOK.replace('"1"', '"SECRET"'));
  symlinkSync("../outside", join(ws, "l"));
  const before = stateOf(outside);
  const leaks = new Set<string>();
  let succeeded = 0;
  const settings = join(base, "settings.json");
  writeFileSync(settings, JSON.stringify({ sandbox: { tier: "bwrap" } }));
  await using haft = await createHaft({
    ...{ cwd: ws, home: join(base, "home"), stateDir: join(base, "state"), settings, loopGuard: false },
    env: { PATH: process.env.PATH ?? "" },
    mode: "acceptEdits",
    // A person who allows everything in the workspace, and nothing elsewhere.
    ask: async ({ effects }) => ({
      behavior: effects.some((effect) => "path" in effect && !isWithin(ws, effect.path)) ? "deny" : "allow",
    }),
  });
  async function call(tool: string, input: Record<string, unknown>): Promise<void> {
    const { content, display, error } = await haft.call(tool, input);
    if (JSON.stringify({ content, display, error }).includes("SECRET")) leaks.add(`shown by ${tool}`);
    if (!error) succeeded += 1;
  }
  const bash = (command: string, more: object = {}) => call("Bash", { command, ...more });
  async function quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      if (JSON.stringify(await work()).includes("SECRET")) leaks.add(`shown by ${kind}`);
      succeeded += 1;
    } catch (thrown) {
      if (String(thrown).includes("SECRET")) leaks.add(`shown by ${kind}`);
    }
  }
  async function commitHeld(n: number): Promise<void> {
    await bash(`echo held ${n} > d/f1.txt; rm -f d/f2.txt; touch d/held${n}; bash -c true`, { dry_run: true });
    const { output } = await haft.call("HeldChanges", { action: "list" });
    for (const { id } of (output as { held: readonly { id: string }[] }).held) {
      await call("HeldChanges", { action: "show", id });
      await call("HeldChanges", { action: "commit", id });
      await haft.call("HeldChanges", { action: "discard", id });
    }
  }
  const steps: Record<RaceKind, (n: number) => Promise<void>> = {
    touch: (n) => bash(`touch d/t${n}`),
    rm: (n) => bash(`rm d/f${n % 8}.txt`),
    mv: (n) => bash(n % 2 ? `mv d/f${n % 8}.txt d/m${n}` : `mv d d${n}; mv d${n} d`),
    mkdir: (n) => bash(n % 2 ? `mkdir -p d/k${n}` : `rmdir d/k${n - 1}`),
    chmod: (n) => bash(n % 2 ? `chmod 600 d/f${n % 8}.txt` : "chmod 700 d"),
    cat: (n) => bash(`cat d/f${n % 8}.txt`),
    inside: (n) => bash(`cd d && touch t${n} && cat f1.txt`),
    Edit: (n) => call("Edit", { file_path: `d/f${n % 8}.txt`, old_string: "inside", new_string: "inside inside" }),
    Write: (n) => call("Write", { file_path: `d/new${n % 5}/w${n}`, content: "written\n" }),
    apply_patch: (n) =>
      call("apply_patch", n % 2 ? patch(`*** Add File: d/p${n}`, "+added") : patch(`*** Delete File: d/f${n % 8}.txt`)),
    NotebookEdit: (n) => call("NotebookEdit", { notebook_path: "d/n.ipynb", cell_id: "one", new_source: `${n}` }),
    Read: (n) => call("Read", { file_path: `d/f${n % 8}.txt` }),
    Glob: () => call("Glob", { pattern: "d/**" }),
    Grep: () => call("Grep", { pattern: "SEC|inside", output_mode: "content", path: "d" }),
    undo: async (n) => {
      await bash(`rm -f d/f${n % 8}.txt; echo more >> d/f${(n + 1) % 8}.txt; mkdir -p d/u${n}; bash -c true`);
      await quietly(() => haft.undo());
    },
    redo: async (n) => {
      await bash(`rm -f d/f${n % 8}.txt; chmod 640 d/f${(n + 1) % 8}.txt; mkdir -p d/u${n}; bash -c true`);
      await quietly(() => haft.undo());
      await quietly(() => haft.redo());
    },
    "held commit": commitHeld,
  };
  const racer = spawn(
    "perl",
    ["-e", RACER, RENAMEAT2[process.arch] ?? "", join(ws, "d"), join(ws, "l"), `${seconds}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise((resolve) => racer.once("close", resolve));
  try {
    await new Promise((resolve) => racer.stdout.once("data", resolve));
    for (let n = 0; n < count; n++) {
      await steps[kind as RaceKind](n);
      // What a call took away or moved is there again for the next.
      const real = ["d", "l"]
        .map((name) => join(ws, name))
        .find((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
      for (const name of names)
        if (real)
          try {
            writeFileSync(join(real, name), "inside\n", { flag: "wx" });
          } catch {}
      if (stateOf(outside) !== before) break;
    }
  } finally {
    racer.kill();
    await ended;
  }
  const after = stateOf(outside);
  if (after !== before) leaks.add(`outside: ${after}`);
  rmSync(base, { recursive: true, force: true });
  return { leaks: [...leaks], succeeded };
}

/** Every name with type, mode and content. */
function stateOf(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const found = lstatSync(join(folder, name));
      return `${name} ${(found.mode & 0o170777).toString(8)} ${found.isFile() ? readFileSync(join(folder, name), "utf8") : ""}`;
    })
    .join("\n");
}
