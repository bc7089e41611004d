import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { runModule } from "../../../test/support/node-process.ts";
import { type Ending, type Started, startChild } from "./started.ts";
import { createStarter, type Starter } from "./starter.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-starter-")));
const open: Starter[] = [];
afterAll(() => {
  for (const one of open) one.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ready(): Promise<Starter> {
  const starter = createStarter({ from: 1 });
  open.push(starter);
  expect(await starter.ready()).toBe(true);
  return starter;
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly descriptors?: readonly number[];
}
type Output = Partial<Ending> & { readonly text: string; readonly error?: unknown };

/** Starts a program whose output and errors go to a file. `undefined`: the starter has not started it. */
async function outputOf(
  start: (request: Parameters<Starter["start"]>[0]) => Promise<Started | undefined>,
  argv: readonly string[],
  { env = { PATH: "/usr/bin:/bin" }, cwd = folder, descriptors = [] }: Options = {},
): Promise<Output | undefined> {
  const path = join(folder, `output-${Math.random()}`);
  const fd = openSync(path, "w");
  try {
    const started = await start({ argv, cwd, env, stdio: ["ignore", fd, fd, fd, ...descriptors] });
    const ended = await started?.ended;
    return started && { ...ended, text: readFileSync(path, "utf8") };
  } catch (error) {
    return { text: readFileSync(path, "utf8"), error };
  } finally {
    closeSync(fd);
  }
}

const bash = (script: string, ...args: string[]): readonly string[] => ["/bin/bash", "-c", script, "bash", ...args];

describe.skipIf(process.platform !== "linux")("programs that a small process starts", () => {
  it("L01 get their arguments, variables, folder and end as a child of this process gets them", async () => {
    const { start } = await ready();
    const word = fc.string({
      unit: fc.constantFrom("a", "é", "\n", " ", "'", "$x", "=", "\\", "🙂", "*"),
      maxLength: 6,
    });
    const env = fc.dictionary(fc.constantFrom("A", "B_2", "PATH", "BASH_FUNC_f%%"), word);
    const end = fc.constantFrom("exit 0", "exit 7", "kill -TERM $$", "kill -KILL $$", "exec sh -c 'exit 3'");
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 4 }), env, end, async (args, variables, ending) => {
        const argv = bash(`printf '[%s]' "$@"; tr '\\0' '\\1' </proc/self/environ; pwd; cat; ${ending}`, ...args);
        const options = { env: { ...variables, PATH: "/usr/bin:/bin" } };
        const sorted = (output: Output | undefined) => ({ ...output, text: output?.text.split("\u0001").sort() });
        expect(sorted(await outputOf(start, argv, options))).toEqual(sorted(await outputOf(startChild, argv, options)));
      }),
      { numRuns: 25 },
    );
  });

  it("L01 lead a session and a group, and have no descriptors but those that they were given", async () => {
    const { start } = await ready();
    const given = openSync(process.execPath, "r");
    const script = 'ps -o pid=,pgid=,sid= -p $$ | tr -s " "; echo $$; ls /proc/self/fd; readlink /proc/self/fd/4';
    const { text = "" } = (await outputOf(start, bash(script), { descriptors: [given] })) ?? {};
    closeSync(given);
    const [ids, own, ...descriptors] = text.trim().split("\n");
    expect(ids?.trim()).toBe(`${own} ${own} ${own}`);
    // `ls` itself opens the folder, as number 5.
    expect(descriptors).toEqual(["0", "1", "2", "3", "4", "5", process.execPath]);
  });

  it("L01 all end with their own code, many at a time", async () => {
    const { start } = await ready();
    const codes = Array.from({ length: 40 }, (_, code) => code);
    const ended = await Promise.all(codes.map((code) => outputOf(start, bash(`echo ${code}; exit ${code}`))));
    expect(ended).toEqual(codes.map((code) => ({ code, signal: null, text: `${code}\n` })));
  });

  it("L01 fail with the cure if they do not exist, are too long, or their folder is gone", async () => {
    const { start } = await ready();
    const missing = await outputOf(start, ["/no/such/program"]);
    expect(missing?.error).toMatchObject({ code: "tool_unavailable", hint: "Install it, or name another shell." });
    const long = await outputOf(start, bash(": ", "x".repeat(200_000)));
    expect(long?.error).toMatchObject({ code: "invalid_input" });
    expect((await outputOf(start, ["/bin/true"], { cwd: join(folder, "gone") }))?.error).toBeDefined();
    expect(await outputOf(start, bash("echo still here"))).toMatchObject({ code: 0, text: "still here\n" });
  });

  it("G07 get the mask of new files that this process has now", async () => {
    const { start, ready: again } = await ready();
    const before = process.umask(0o027);
    try {
      // The first one finds that the mask has changed; a child of this process has the new one, too.
      expect(await outputOf(start, bash("umask"))).toBeUndefined();
      await again();
      expect(await outputOf(start, bash("umask"))).toMatchObject({ text: "0027\n" });
    } finally {
      process.umask(before);
    }
  });

  it("L01 count as killed if the small process is killed, and the next one is started by another", async () => {
    const { start, ready: again } = await ready();
    const long = outputOf(start, bash("echo $PPID >parent; echo $$ >own; sleep 60"));
    const idIn = (name: string) =>
      Number(execFileSync("sh", ["-c", `until [ -s ${name} ]; do sleep 0.01; done; cat ${name}`], { cwd: folder }));
    const [parent, own] = [idIn("parent"), idIn("own")];
    expect(readFileSync(`/proc/${parent}/comm`, "utf8")).toBe("haft-starter\n");
    process.kill(parent, "SIGKILL");
    expect(await long).toMatchObject({ code: null, signal: "SIGKILL" });
    const state = () => spawnSync("ps", ["-o", "stat=", "-p", `${own}`], { encoding: "utf8" }).stdout.trim();
    // Its new parent may not have collected it yet.
    await expect.poll(state, { timeout: patience(5_000) }).toMatch(/^Z|^$/);
    expect(await again()).toBe(true);
    expect(await outputOf(start, bash("echo next"))).toMatchObject({ code: 0, text: "next\n" });
  });

  it("L01 that hold this process keep it running, and nothing else does", () => {
    const script = `const starter = tested.createStarter({ from: 1 });
      await starter.ready();
      const start = (argv) => starter.start({ argv, cwd: process.argv[1], env: {}, stdio: [] });
      (await start(["/bin/sleep", "60"])).hold(false);
      await start(["/bin/sh", "-c", "sleep 0.2; echo done >over"]);`;
    expect(runModule(new URL("./starter.ts", import.meta.url), script, folder).status).toBe(0);
    expect(readFileSync(join(folder, "over"), "utf8")).toBe("done\n");
  });
});
