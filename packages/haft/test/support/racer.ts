// A workspace in which another program exchanges a folder with a link that leads out of it, and calls of every kind that
// are made meanwhile. Nothing outside may be made, changed, removed or shown.
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isWithin } from "@haft/core/tool";
import { createHaft } from "../../src/app/create-haft.ts";
import { makeRacePlace, NAMES, outsideState, SOMEBODY } from "./race-place.ts";

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

/** Paths outside that disappeared or appeared, and what a call showed of them. */
export interface RaceResult {
  readonly leaks: readonly string[];
  /** Calls that did what they were to do: a race in which none does shows nothing. */
  readonly succeeded: number;
}

const patch = (...lines: string[]) => ({ input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

/** The user that makes the calls, and whether the files lie on mounts in the workspace. Both need root at the start. */
export interface RaceSetting {
  readonly asUser?: boolean;
  readonly onMounts?: boolean;
}

/** Makes a place, and the calls of these kinds in it: here, or as somebody else or in another mount namespace. */
export function race(
  kinds: readonly string[],
  count: number,
  seconds = 20,
  setting: RaceSetting = {},
): Promise<RaceResult> {
  const { asUser = false, onMounts = false } = setting;
  const base = makeRacePlace(asUser);
  const before = outsideState(base);
  return callsOf()
    .then(({ leaks, succeeded }) => {
      const after = outsideState(base);
      return { succeeded, leaks: [...leaks, ...(after === before ? [] : [`outside: ${after}`])] };
    })
    .finally(() => rmSync(base, { recursive: true, force: true }));

  async function callsOf(): Promise<RaceResult> {
    if (!asUser && !onMounts) return raceAt({ base, kinds, count, seconds, folder: "d" });
    const folder = onMounts ? "d/mnt" : "d";
    const script = fileURLToPath(new URL("./race-process.ts", import.meta.url));
    const drop = asUser ? ["setpriv", `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, "--clear-groups"] : [];
    const node = [process.execPath, "--conditions=haft-source", "--disable-warning=ExperimentalWarning", script];
    const argv = [...drop, ...node, JSON.stringify({ base, kinds, count, seconds, folder })];
    const [program, ...args] = onMounts ? ["unshare", "--mount", "sh", "-c", MOUNT, "mount", base, ...argv] : argv;
    const child = spawn(program!, args, { stdio: ["ignore", "pipe", "inherit"] });
    return JSON.parse(await text(child.stdout)) as RaceResult;
  }
}

/** Mounts folders into the workspace and into the folder outside, for the started process only. */
const MOUNT =
  'mount --bind "$1/mounted" "$1/work/d/mnt" && mount --bind "$1/mounted-outside" "$1/outside/mnt" && shift && exec "$@"';

export interface RaceTask {
  readonly base: string;
  readonly kinds: readonly string[];
  readonly count: number;
  readonly seconds: number;
  /** The folder of the files, in the workspace. */
  readonly folder: string;
}

export async function raceAt({ base, kinds, count, seconds, folder: d }: RaceTask): Promise<RaceResult> {
  const ws = join(base, "work");
  const before = outsideState(base);
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
      if (JSON.stringify(await work()).includes("SECRET")) leaks.add("shown by undo or redo");
      succeeded += 1;
    } catch (thrown) {
      if (String(thrown).includes("SECRET")) leaks.add("shown by undo or redo");
    }
  }
  async function commitHeld(n: number): Promise<void> {
    await bash(`echo held ${n} > ${d}/f1.txt; rm -f ${d}/f2.txt; touch ${d}/held${n}; bash -c true`, { dry_run: true });
    const { output } = await haft.call("HeldChanges", { action: "list" });
    for (const { id } of (output as { held: readonly { id: string }[] }).held) {
      await call("HeldChanges", { action: "show", id });
      await call("HeldChanges", { action: "commit", id });
      await haft.call("HeldChanges", { action: "discard", id });
    }
  }
  const steps: Record<RaceKind, (n: number) => Promise<void>> = {
    touch: (n) => bash(`touch ${d}/t${n}`),
    rm: (n) => bash(`rm ${d}/f${n % 8}.txt`),
    mv: (n) => bash(n % 2 ? `mv ${d}/f${n % 8}.txt ${d}/m${n}` : `mv d d${n}; mv d${n} d`),
    mkdir: (n) => bash(n % 2 ? `mkdir -p ${d}/k${n}` : `rmdir ${d}/k${n - 1}`),
    chmod: (n) => bash(n % 2 ? `chmod 600 ${d}/f${n % 8}.txt` : `chmod 700 ${d}`),
    cat: (n) => bash(`cat ${d}/f${n % 8}.txt`),
    inside: (n) => bash(`cd ${d} && touch t${n} && cat f1.txt`),
    Edit: (n) => {
      const [old_string, new_string] = n % 16 < 8 ? ["inside", "changed"] : ["changed", "inside"];
      return call("Edit", { file_path: `${d}/f${n % 8}.txt`, old_string, new_string });
    },
    Write: (n) => call("Write", { file_path: `${d}/new${n % 5}/w${n}`, content: "written\n" }),
    apply_patch: (n) =>
      call(
        "apply_patch",
        n % 2 ? patch(`*** Add File: ${d}/p${n}`, "+added") : patch(`*** Delete File: ${d}/f${n % 8}.txt`),
      ),
    NotebookEdit: (n) => call("NotebookEdit", { notebook_path: `${d}/n.ipynb`, cell_id: "one", new_source: `${n}` }),
    Read: (n) => call("Read", { file_path: `${d}/f${n % 8}.txt` }),
    Glob: () => call("Glob", { pattern: `${d}/**` }),
    Grep: () => call("Grep", { pattern: "SEC|inside", output_mode: "content", path: d }),
    undo: async (n) => {
      await bash(`rm -f ${d}/f${n % 8}.txt; echo more >> ${d}/f${(n + 1) % 8}.txt; mkdir -p ${d}/u${n}; bash -c true`);
      await quietly(() => haft.undo());
    },
    redo: async (n) => {
      await bash(`rm -f ${d}/f${n % 8}.txt; chmod 640 ${d}/f${(n + 1) % 8}.txt; mkdir -p ${d}/u${n}; bash -c true`);
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
    for (const kind of kinds)
      for (let n = 0; n < count; n++) {
        await steps[kind as RaceKind](n);
        bringBack(ws, d);
        if (outsideState(base) !== before) break;
      }
  } finally {
    racer.kill();
    await ended;
  }
  return { leaks: [...leaks], succeeded };
}

/** Restores the folder, link and files that a call removed or moved. */
function bringBack(ws: string, folder: string): void {
  const found = (name: string) => lstatSync(join(ws, name), { throwIfNoEntry: false });
  const isFree = (name: string) => found(name) === undefined;
  for (const moved of readdirSync(ws).filter((name) => /^d\d+$/.test(name))) {
    const free = ["d", "l"].find(isFree);
    if (free !== undefined) renameSync(join(ws, moved), join(ws, free));
  }
  // A link that was moved into the folder is lost.
  for (const free of ["d", "l"].filter(isFree)) symlinkSync("../outside", join(ws, free));
  const real = ["d", "l"].find((name) => found(name)?.isDirectory());
  for (const name of NAMES)
    if (real)
      try {
        writeFileSync(join(ws, real, folder.slice(2), name), "inside\n", { flag: "wx" });
      } catch {}
}
