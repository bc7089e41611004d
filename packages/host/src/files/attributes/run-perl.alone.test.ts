import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { children, runModule } from "../../../test/support/node-process.ts";
import { runPerl } from "./run-perl.ts";

const hasPerl = process.platform === "linux" && spawnSync("perl", ["-e", "1"]).status === 0;
const run = (script: string, input = "", args: readonly string[] = []) =>
  runPerl({ script, args, input: Buffer.from(input) })?.toString("latin1");
/** The process that ran it. */
const byWhom = () => Number(run("print $$"));

/** The one process that runs programs, once it listens. */
async function resident(): Promise<number> {
  for (;;) {
    const [first, second] = [byWhom(), byWhom()];
    if (first === second) return first;
    await sleep(5);
  }
}

describe.skipIf(!hasPerl)("programs in Perl", () => {
  it("K04 one process runs them all, with arguments and input of their own", async () => {
    const id = await resident();
    const script = "my ($first, $last) = @ARGV; local $/; print qq($first|$last|), scalar(<STDIN>), qq(|$$)";
    expect(run(script, "a\nb\0", ["x y", ""])).toBe(`x y||a\nb\0|${id}`);
    expect(run("print scalar(@ARGV), scalar(<STDIN>) // q(nothing)")).toBe("0nothing");
    expect(children()).toEqual([id]);
  });

  it("K04 input and output may be larger than a pipe", async () => {
    await resident();
    const text = "0123456789abcdef".repeat(100_000);
    expect(run("local $/; my $all = <STDIN>; print $all, $all", text)).toBe(text + text);
  });

  it("K04 a program that fails gives nothing, and leaves nothing for the next one", async () => {
    const id = await resident();
    expect(run("print 1; die")).toBeUndefined();
    expect(run("print qq(no end")).toBeUndefined();
    expect(run("$/ = q(b); $_ = <STDIN>; print", "abc")).toBe("ab");
    expect(run("print scalar(<STDIN>)", "abc\nd")).toBe("abc\n");
    expect(byWhom()).toBe(id);
  });

  it("K04 a killed process is replaced, and no program runs twice", async () => {
    const id = await resident();
    process.kill(id, "SIGKILL");
    while (isRunning(id)) await sleep(5);
    expect(run("print 1 + 1")).toBe("2");
    expect(await resident()).not.toBe(id);
    // It ran, and nobody knows how far.
    expect(run("kill q(KILL), $$; sleep 60")).toBeUndefined();
    expect(run("print 2 + 2")).toBe("4");
  });

  it("K04 the process neither keeps another one running nor outlives it", async () => {
    const script = `
      const run = () => String(tested.runPerl({ script: "print $$", args: [], input: Buffer.alloc(0) }));
      let [first, second] = [run(), run()];
      while (first !== second) [first, second] = [second, run()];
      process.stdout.write(first);`;
    const { status, stdout } = runModule(new URL("./run-perl.ts", import.meta.url), script);
    expect([status, Number(stdout) > 1]).toEqual([0, true]);
    while (isRunning(Number(stdout))) await sleep(5);
  });
});

/** One that has ended may wait for its parent. */
function isRunning(id: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${id}/status`, "utf8"));
  } catch {
    return false;
  }
}
