import { mkdir, readFile, realpath } from "node:fs/promises";
import { HaftError } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { bash } from "./bash.ts";

let world: World;
type Wish = Parameters<typeof bash.run>[0];
const use = (command: string, rest: Omit<Wish, "command"> = {}, signal?: AbortSignal) =>
  world.use(bash, { command, ...rest }, signal ? { signal } : {});

beforeAll(async () => {
  world = await createWorld();
  await mkdir(`${world.folder}/sub`);
});
afterAll(() => world.close());

describe("Bash", () => {
  it("L01 gives output, streams, exit code and folder", async () => {
    const { output, text, display } = await use("echo out; echo err >&2; cd sub");
    expect(output).toMatchObject({ stdout: "out\n", stderr: "err\n", exitCode: 0, cwd: `${world.folder}/sub` });
    expect(text.split("\n").sort()).toEqual(["err", "out"]);
    expect(display).toMatchObject({ kind: "terminal", exitCode: 0 });
    expect((await use("true")).text).toBe("(no output)");
  });

  it("L01 a failing command is an error that keeps its output", async () => {
    const error = await failure(use("echo before; exit 3"));
    expect(error).toMatchObject({ code: "command_failed", message: "Exit code 3", details: { exitCode: 3 } });
    expect(error.output).toMatchObject({ output: "before\n", exitCode: 3 });
  });

  it("L01 a signal is named", async () => {
    const error = await failure(use("kill -KILL $$"));
    expect(error).toMatchObject({ code: "command_failed", message: "The command was ended by SIGKILL." });
  });

  it("L01 an unknown program is its own error", async () => {
    expect(await failure(use("no-such-program-x"))).toMatchObject({ code: "command_not_found" });
  });

  it.each([
    ["grep zzz /dev/null", "no line matched"],
    ["echo a | grep b", "no line matched"],
    ["diff <(echo a) <(echo b)", "the files differ"],
    ["test -f /nowhere", "the condition is false"],
    ["[ 1 = 2 ]", "the condition is false"],
  ])("L01 exit code 1 of %s is no failure", async (command, meaning) => {
    const { output, text } = await use(command);
    expect(output).toMatchObject({ exitCode: 1, meaning });
    expect(text).toContain(`[Exit code 1: ${meaning}.]`);
  });

  it.each(["false", "grep x /no/such/file", "cat /no/such/file && grep x /dev/null", "grep zzz /dev/null; false"])(
    "L01 %s is a failure",
    async (command) => {
      expect(await failure(use(command))).toMatchObject({ code: "command_failed" });
    },
  );

  it("L01 workdir is where it runs; one that is no folder is refused", async () => {
    expect((await use("pwd", { workdir: "sub" })).output.stdout).toBe(`${await realpath(world.folder)}/sub\n`);
    expect((await use("pwd", { workdir: "~/sub" })).output.stdout).toBe(`${await realpath(world.folder)}/sub\n`);
    expect(await failure(use("pwd", { workdir: "gone" }))).toMatchObject({ code: "file_not_found" });
  });

  it("L01 the time limit ends the whole group", async () => {
    const error = await failure(use("sleep 30 & echo $! > child; sleep 30", { timeout: 200 }));
    expect(error).toMatchObject({ code: "timeout", output: { timedOut: true } });
    const child = Number(await readFile(`${world.folder}/child`, "utf8"));
    expect(await isRunning(child)).toBe(false);
  });

  it("L01 returns when the command ends, even if a child holds the pipes", async () => {
    const started = performance.now();
    const { output, text } = await use("sleep 30 & echo done");
    expect(performance.now() - started).toBeLessThan(patience(2000));
    expect(output).toMatchObject({ stdout: "done\n", left: true });
    expect(text).toContain("still running in the background");
  });

  it("E13 a cancel ends the child tree in less than a second, one that ignores SIGTERM too", async () => {
    const controller = new AbortController();
    const work = use(
      `bash -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 1; done' & wait`,
      {},
      controller.signal,
    );
    const said = () => readFile(`${world.folder}/stubborn`, "utf8");
    await vi.waitFor(async () => expect(await said()).toContain("\n"), patience(5000));
    const stubborn = Number(await said());
    const started = performance.now();
    controller.abort();
    const error = await failure(work);
    expect(performance.now() - started).toBeLessThan(patience(1000));
    expect(error).toMatchObject({ code: "cancelled", output: { cancelled: true } });
    expect(await isRunning(stubborn)).toBe(false);
  });

  it("L02 output comes while the command runs", async () => {
    const controller = new AbortController();
    const context = { ...world.effectContext, signal: controller.signal };
    let seen = "";
    const progress = ({ output = "" }: { output?: string }) => {
      seen += output;
      if (seen.includes("first")) controller.abort();
    };
    const work = bash.run({ command: "echo first; sleep 30" }, { ...context, progress } as never);
    await expect(work).rejects.toSatisfy(HaftError.is);
    expect(seen).toBe("first\n");
  });

  it("L02 stdin is closed, nothing pages", async () => {
    expect((await use("cat; echo $PAGER $GIT_PAGER $TERM")).output.stdout).toBe("cat cat dumb\n");
  });

  it("L01 effects come from the shell analysis: a reader reads, the rest is opaque or unknown", async () => {
    const effects = (command: string) => bash.effects({ command }, world.effectContext);
    expect((await effects("ls sub")).every((effect) => effect.do === "run" || effect.do === "read")).toBe(true);
    expect(await effects("./script.sh")).toContainEqual(expect.objectContaining({ do: "run", opaque: true }));
    expect(await effects("echo a > x")).toContainEqual(
      expect.objectContaining({ do: "write", path: `${world.folder}/x` }),
    );
  });

  it("L01 the preview shows the command and its parts", async () => {
    expect(await bash.preview?.({ command: "ls" }, world.effectContext)).toMatchObject({
      kind: "terminal",
      command: "ls",
    });
    const group = await bash.preview?.({ command: "ls && rm -rf x" }, world.effectContext);
    expect(group).toMatchObject({
      kind: "group",
      items: [{ command: "ls && rm -rf x" }, { command: "ls" }, { command: "rm -rf x" }],
    });
  });
});

/** A dead process that nobody has collected yet does not count. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  return stat !== "" && !/^\d+ \(.*\) [ZX]/.test(stat);
}
