// The port Processes, unconfined and confined: what a command means must not depend on where it runs.

import { createProcesses } from "@haft/host/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createScratch, type Scratch, UNREAD, WAYS, WITHOUT_SANDBOX } from "../test/support/confined.ts";

describe.skipIf(WITHOUT_SANDBOX).each(WAYS)(`a confined command, %s (${WITHOUT_SANDBOX ?? "bwrap"})`, (way) => {
  let scratch: Scratch;
  const raw = createProcesses();
  beforeAll(async () => {
    scratch = await createScratch({}, way);
  });
  afterAll(() => scratch.close());

  it.each([
    "exit 7",
    "false",
    "echo a; (",
    "set -e; false; echo no",
    "set -u; echo $nothing",
    "return 3",
    "echo $# $*",
    "trap 'echo bye' EXIT; exit 4",
    "exec echo replaced",
    "cat <<END\nopen here-document",
    "echo one \\",
    "f() { exit 9; }; f",
    "set -x; true",
    "exec 3>/dev/null; echo three >&3; echo $?",
    "echo to-err > /dev/stderr; echo to-out > /dev/stdout",
    "echo a | tee /dev/stderr",
    "kill -TERM $$",
    "kill -KILL $$",
    "(bash -c 'kill -SEGV $$'; echo $?) 2> /dev/null",
    "(exit 143)",
    "exit 137",
    "exec bash -c 'kill -SEGV $$'",
    "exec bash -c 'kill -INT $$'",
    "set -e; (exit 139)",
    "trap 'exit 9' TERM; kill -TERM $$",
    "mkdir -p d; cd d",
    "cd src; false",
    "cd src; exit 0",
    "cat",
    "no-such-program",
    "seq 1 20000",
    "pwd; echo $PWD; echo $HOME",
    "umask; ulimit -c",
    "echo ä; printf '\\xff'",
    "",
  ])("L01 %j gives the same as without a fence", async (command) => {
    const request = { command, cwd: scratch.root, bound: UNREAD };
    const [plain, confined] = [await raw.run(request), await scratch.processes.run(request)];
    const kept = ({ exitCode, signal, stdout, stderr, cwd, timedOut, cancelled, left }: typeof plain) => {
      const ownFolder = cwd?.replace(scratch.base, "");
      return { exitCode, signal, stdout, stderr, cwd: ownFolder, timedOut, cancelled, left };
    };
    expect(kept(confined)).toEqual(kept(plain));
  });

  it("L01 output comes while the program runs", async () => {
    const pieces: { text: string; at: number }[] = [];
    const started = performance.now();
    await scratch.run("echo one; sleep 0.4; echo two", {
      onOutput: (text) => pieces.push({ text, at: performance.now() - started }),
    });
    expect(pieces.map(({ text }) => text)).toEqual(["one\n", "two\n"]);
    expect((pieces[1]?.at ?? 0) - (pieces[0]?.at ?? 0)).toBeGreaterThan(250);
  });

  it("L01 bad requests are refused with the same codes", { tags: ["smoke"] }, async () => {
    for (const bad of [{ cwd: `${scratch.root}/none` }, { command: "echo \0" }]) {
      const request = { command: "true", cwd: scratch.root, bound: UNREAD, ...bad };
      const code = await raw.run(request).catch((thrown: { code: string }) => thrown.code);
      await expect(scratch.processes.run(request)).rejects.toMatchObject({ code });
    }
  });

  it("L01 commands beside each other do not disturb each other", async () => {
    const beside = (index: number) =>
      scratch.processes.run({ command: `sleep 0.05; echo ${index}`, cwd: scratch.root, bound: UNREAD });
    const all = await Promise.all(Array.from({ length: 6 }, (_, index) => beside(index)));
    expect(all.map(({ stdout }) => stdout)).toEqual(["0\n", "1\n", "2\n", "3\n", "4\n", "5\n"]);
  });
});
