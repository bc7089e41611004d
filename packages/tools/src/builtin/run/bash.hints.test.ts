import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { bash } from "./bash.ts";

let world: World;
const use = (command: string) => world.use(bash, { command });

beforeAll(async () => {
  world = await createWorld();
  await writeFile(`${world.folder}/a.txt`, "one\ntwo\n");
  await writeFile(`${world.folder}/b.txt`, "one\nthree\n");
  await writeFile(`${world.folder}/script.sh`, "#!/bin/sh\necho hi\n");
  await writeFile(`${world.folder}/windows.sh`, "#!/bin/sh\r\necho hi\r\nfoo\r\n");
  await chmod(`${world.folder}/script.sh`, 0o644);
  await mkdir(`${world.folder}/repo`);
});
afterAll(() => world.close());

describe("Bash: exit codes that are no failure", () => {
  it.each([
    ["grep zero a.txt", "no line matched"],
    ["cat a.txt | grep zero", "no line matched"],
    ["diff a.txt b.txt", "the files differ"],
    ["cmp a.txt b.txt", "the files differ"],
    ["test -f nowhere", "the condition is false"],
    ["[ 1 -gt 2 ]", "the condition is false"],
    ["[[ a == b ]]", "the condition is false"],
    ["command -v no-such-program", "there is no such command"],
    ["pgrep no-such-process-anywhere", "no process matched"],
    ["expr 1 - 1", "the result is 0 or empty"],
    ["git diff --no-index a.txt b.txt", "there are differences"],
  ])("L01 %s", async (command, meaning) => {
    const { output, text } = await use(command);
    expect(output).toMatchObject({ exitCode: 1, meaning });
    expect(text).toContain(`[Exit code 1: ${meaning}.]`);
  });

  it.each(["grep zero nowhere.txt", "diff a.txt nowhere.txt", "false", "grep zero a.txt; false", "test -z a -b"])(
    "L01 %s is one",
    async (command) => {
      expect((await failure(use(command))).code).toBe("command_failed");
    },
  );
});

describe("Bash: what the words of a failure mean", () => {
  it.each([
    ["no-such-program --help", "command_not_found", /no-such-program is not installed .* command -v no-such-program/],
    ["./script.sh", "command_failed", /bash \.\/script\.sh/],
    ["bash windows.sh", "command_not_found", /Windows line ends/],
    ["echo 'open", "command_failed", /is not closed/],
    ["cat nowhere.txt", "command_failed", /nowhere\.txt does not exist/],
    ["git -C / log", "command_failed", /not in a git repository/],
    ["git -C repo init -q && touch repo/.git/index.lock && git -C repo add .", "command_failed", /pgrep -a git/],
    ["node -e 'require(\"no-such-package\")'", "command_failed", /package no-such-package is not installed/],
    ["bash -c 'kill -9 $$'", "command_failed", /too much memory/],
    ["bash -c 'kill -11 $$'", "command_failed", /invalid memory access/],
    ["echo 'curl: (6) Could not resolve host: x' >&2; exit 6", "command_failed", /no network/],
    ["echo 'write error: No space left on device' >&2; exit 1", "command_failed", /df -h/],
    ["echo 'the input device is not a TTY' >&2; exit 1", "command_failed", /needs a terminal/],
    ["echo 'error: externally-managed-environment' >&2; exit 1", "command_failed", /venv/],
    ["echo 'git@x: Permission denied (publickey).' >&2; exit 128", "command_failed", /Ask the user/],
  ])("L01 %s", async (command, code, cure) => {
    const error = await failure(use(command));
    expect([error.code, error.hint]).toEqual([code, expect.stringMatching(cure)]);
  });

  it("L01 a port that is in use is named", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      const error = await failure(use(`node -e 'require("net").createServer().listen(${port}, "127.0.0.1")'`));
      expect(error.hint).toContain(`Port ${port} is in use`);
    } finally {
      server.close();
    }
  });

  it("L01 the program that ends others in time tells so by its exit code", async () => {
    expect(await failure(use("timeout 0.05 sleep 5"))).toMatchObject({
      hint: expect.stringContaining("ended the command"),
    });
  });

  it("L01 an unknown failure gets no hint, and a long output costs no time", async () => {
    expect((await failure(use("echo strange >&2; exit 3"))).hint).toBeUndefined();
    const started = performance.now();
    await failure(use("head -c 3000000 /dev/zero | tr '\\0' a; exit 3"));
    expect(performance.now() - started).toBeLessThan(patience(3000));
  });
});

it("L01 a program that goes on until it is ended is named when its timeout was reached, with the way to start it", async () => {
  const error = await failure(world.use(bash, { command: "tail -f a.txt", timeout: 300 }));
  expect(error).toMatchObject({
    code: "timeout",
    hint: expect.stringMatching(/^`tail -f a\.txt` runs until it is stopped.*run_in_background/),
  });
});
