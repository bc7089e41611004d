import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHaft } from "../create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-lean-")));
  mkdirSync(join(base, "work", ".haft"), { recursive: true });
  mkdirSync(join(base, "home"));
  writeFileSync(join(base, "settings.json"), JSON.stringify({ sandbox: { tier: "none" } }));
  vi.stubEnv("EXAMPLE_API_KEY", "a-secret");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const haftWith = (mode: "default" | "bypassPermissions") =>
  createHaft({
    cwd: join(base, "work"),
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    settings: join(base, "settings.json"),
    mode,
  });
const printed = ({ output }: Result): string => (output as { stdout: string }).stdout;

it("G15 without a sandbox, too, an unasked run of any command sees no keys of the environment", async () => {
  await using haft = await haftWith("default");
  const commands = [
    "env",
    "printenv",
    "set",
    "declare -p",
    "export -p",
    'echo "$EXAMPLE_API_KEY"',
    "awk 'BEGIN { print ENVIRON[\"EXAMPLE_API_KEY\"] }'",
    "bash -c 'echo $EXAMPLE_API_KEY'",
  ];
  for (const command of commands) {
    const result = await haft.call("Bash", { command });
    expect([command, result.error, printed(result).includes("a-secret")]).toEqual([command, undefined, false]);
  }
  expect(printed(await haft.call("Bash", { command: "printenv HOME PATH" }))).toMatch(/^\/.+\n.*\/bin/);
});

it("G15 an approved command runs in the user's environment", async () => {
  await using haft = await haftWith("bypassPermissions");
  writeFileSync(join(base, "work", "script.sh"), 'echo "$EXAMPLE_API_KEY"');
  expect(printed(await haft.call("Bash", { command: "sh script.sh" }))).toBe("a-secret\n");
});

it.each(["none", "readers"])("G15 a program of the workspace never stands in for a reader (tier %s)", async (tier) => {
  const bin = join(base, "work", "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "wc"), "#!/bin/sh\necho fooled\n", { mode: 0o755 });
  writeFileSync(join(base, "settings.json"), JSON.stringify({ sandbox: { tier } }));
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  const asking = await haftWith("default");
  const { output } = await asking.call("Bash", { command: "printf ab | wc -c" });
  expect((output as { stdout: string }).stdout.trim()).toBe("2");
  await asking[Symbol.asyncDispose]();
  await using free = await haftWith("bypassPermissions");
  expect(printed(await free.call("Bash", { command: "wc -c; touch x" }))).toContain("fooled");
});

it("G15 a job that runs unasked sees no keys of the environment either", async () => {
  await using haft = await haftWith("default");
  const { error, output } = await haft.call("Bash", { command: "env", wait_ms: 5000 });
  expect(error).toBeUndefined();
  expect((output as { output: string }).output).toMatch(/^PATH=/m);
  expect((output as { output: string }).output).not.toContain("a-secret");
});

describe("without a sandbox", () => {
  it.each([
    "cat *",
    "head notes*",
    "find . | xargs cat",
    "cat $(ls)",
    'for f in *; do cat "$f"; done',
    "diff -r . src",
  ])("G07 %s shows nothing that a link in the workspace leads to outside", async (command) => {
    mkdirSync(work("src"));
    writeFileSync(join(base, "home", "diary.txt"), "hidden-value\n");
    symlinkSync(join(base, "home", "diary.txt"), work("notes.txt"));
    await using haft = await haftWith("default");
    const result = await haft.call("Bash", { command });
    expect(JSON.stringify(result)).not.toContain("hidden-value");
    expect(JSON.stringify(result)).toContain(join(base, "home", "diary.txt"));
  });

  it.each(["cat *", "find . | xargs head", "diff -r . src"])(
    "G07 %s is not held up by links that stay",
    async (command) => {
      mkdirSync(work("src"));
      writeFileSync(work("a.txt"), "ordinary\n");
      symlinkSync("a.txt", work("b.txt"));
      symlinkSync("nowhere", work("c.txt"));
      await using haft = await haftWith("default");
      const { exitCode } = (await haft.call("Bash", { command })).output as { exitCode: number };
      expect(exitCode).not.toBe(126);
    },
  );

  it.each(["cat *.md", "find . -type f | xargs head", "grep -rl ordinary . | xargs cat", "head src/*.md"])(
    "G07 %s is not held up by a link that it does not open",
    async (command) => {
      mkdirSync(work("src/deep"), { recursive: true });
      for (const name of ["a.md", "src/b.md"]) writeFileSync(work(name), "ordinary\n");
      writeFileSync(join(base, "home", "diary.txt"), "hidden-value\n");
      for (const name of ["notes.txt", "src/notes", "src/deep/notes.md"])
        symlinkSync(join(base, "home", "diary.txt"), work(name));
      await using haft = await haftWith("default");
      const result = await haft.call("Bash", { command });
      expect([command, result.error]).toEqual([command, undefined]);
      expect(printed(result)).toContain("ordinary");
      expect(JSON.stringify(result)).not.toContain("hidden-value");
    },
  );

  it.each(["find . -type f | xargs cat", "grep -rl value . | xargs head", "cat $(find . -name 'diary*')"])(
    "G07 %s shows nothing that a name leads to when it is cut at its blanks",
    async (command) => {
      writeFileSync(join(base, "home", "diary.txt"), "hidden-value\n");
      const outside = join(base, "home");
      mkdirSync(work(`x ${outside}`), { recursive: true });
      writeFileSync(work(`x ${outside}/diary.txt`), "a value\n");
      await using haft = await haftWith("default");
      const result = await haft.call("Bash", { command });
      expect(JSON.stringify(result)).not.toContain("hidden-value");
      expect(JSON.stringify(result)).toContain(work("x "));
      expect((result.output as { exitCode?: number } | undefined)?.exitCode ?? 126).toBe(126);
    },
  );

  it("G07 a name that a wildcard makes an option of shows no hidden file", async () => {
    mkdirSync(work("src"));
    writeFileSync(work("src/.env"), "hidden-value\n");
    writeFileSync(work("-r"), "");
    await using haft = await haftWith("default");
    expect(JSON.stringify(await haft.call("Bash", { command: "grep value *" }))).not.toContain("hidden-value");
    const { exitCode } = (await haft.call("Bash", { command: "grep -s value -- *" })).output as { exitCode: number };
    expect(exitCode).not.toBe(126);
  });

  it("G02 the top of the repository is entered unasked, and nothing beyond it", async () => {
    execFileSync("git", ["init", "-q"], { cwd: work("."), stdio: "pipe" });
    mkdirSync(work("src"));
    writeFileSync(work("a.txt"), "ordinary\n");
    await using haft = await haftWith("default");
    const there = { workdir: work("src") };
    const go = 'cd "$(git rev-parse --show-toplevel)" && ';
    expect(printed(await haft.call("Bash", { command: `${go}cat a.txt && pwd`, ...there }))).toBe(
      `ordinary\n${join(base, "work")}\n`,
    );
    const { error } = await haft.call("Bash", { command: `${go}cat ../home/diary.txt`, ...there });
    expect(error?.code).toBe("needs_approval");
  });

  it("G17 in the mode that asks about nothing it is not held up", async () => {
    writeFileSync(work(".env"), "TOKEN=hidden-value\n");
    await using haft = await haftWith("bypassPermissions");
    expect(printed(await haft.call("Bash", { command: "grep -r TOKEN ." }))).toBe("./.env:TOKEN=hidden-value\n");
  });

  it("G17 a person is asked for exactly the private file, and a yes runs the command with it", async () => {
    writeFileSync(work("a.txt"), "TOKEN=ordinary\n");
    writeFileSync(work(".env"), "TOKEN=hidden-value\n");
    await using haft = await createHaft({
      ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} },
      ...{ settings: join(base, "settings.json"), ask: "host" },
    });
    const running = haft.call("Bash", { command: "grep -r TOKEN ." });
    await expect.poll(() => haft.pending().length).toBe(1);
    const [request] = haft.pending();
    expect(request!.effects).toEqual([expect.objectContaining({ do: "read", path: work(".env") })]);
    haft.answer(request!.id, { behavior: "allow" });
    expect(
      printed(await running)
        .split("\n")
        .sort(),
    ).toEqual(["", "./.env:TOKEN=hidden-value", "./a.txt:TOKEN=ordinary"]);
  });

  const work = (name: string) => join(base, "work", name);
  const DEEP = [
    "grep -r TOKEN .",
    "rg --hidden TOKEN",
    "find . -type f | xargs cat",
    "find . -type f -exec cat {} +",
    "cat $(find . -type f)",
  ];

  it.each(DEEP)("G17 %s shows no private file that nobody named", async (command) => {
    writeFileSync(work("a.txt"), "TOKEN=ordinary\n");
    writeFileSync(work(".env"), "TOKEN=hidden-value\n");
    await using haft = await haftWith("default");
    const result = await haft.call("Bash", { command });
    expect(JSON.stringify(result)).not.toContain("hidden-value");
    expect(JSON.stringify(result)).toContain(work(".env"));
  });

  it.each([...DEEP, "ls -a", "cat *.txt", "git status", "grep TOKEN a.txt"])(
    "G17 %s runs as ever where nothing is private",
    async (command) => {
      writeFileSync(work("a.txt"), "TOKEN=ordinary\n");
      await using haft = await haftWith("default");
      const { exitCode } = (await haft.call("Bash", { command })).output as { exitCode: number };
      expect(exitCode).not.toBe(126);
    },
  );

  it.each([
    "ls -aR",
    "cat *.txt",
    "find . -name '*.txt' | xargs ls -l",
    "grep -r ordinary src",
    "grep -n ordinary a.txt",
  ])("G17 %s is not held up by a private file that it does not show", async (command) => {
    mkdirSync(work("src"));
    for (const name of ["a.txt", "src/b.txt"]) writeFileSync(work(name), "ordinary\n");
    writeFileSync(work(".env"), "TOKEN=hidden-value\n");
    await using haft = await haftWith("default");
    const result = await haft.call("Bash", { command });
    expect([command, result.error]).toEqual([command, undefined]);
  });

  const opened: (readonly [command: string, isHeld: boolean])[] = [
    ...["grep -r TOKEN .", "rg TOKEN", "find . | xargs cat", "cat *", "head src/*.pem", "cat $(find . -type f)"].map(
      (command) => [command, true] as const,
    ),
    ...['for f in *; do sed -n 1p "$f"; done', "find . -name '*.pem' -o -name '*.ts' | xargs cat", "diff -r . src"].map(
      (command) => [command, true] as const,
    ),
    ...["grep -rn --include='*.ts' TOKEN .", "grep -r --exclude='*.pem' --exclude='*.key' TOKEN .", "cat src/*.ts"].map(
      (command) => [command, false] as const,
    ),
    ...[
      "find . -name '*.ts' -o -name '*.md' | xargs cat",
      "rg -t ts TOKEN",
      "rg -g '*.ts' TOKEN",
      "ls -R",
      "wc -c *",
    ].map((command) => [command, false] as const),
    ...["find . -not -name '*.pem' -not -name '*.key' -type f | xargs cat", "head -3 a.ts"].map(
      (command) => [command, false] as const,
    ),
  ];
  it.each(opened)("G17 %s in a tree with keys is held back: %s", async (command, isHeld) => {
    mkdirSync(work("src"));
    for (const name of ["a.ts", "src/b.ts", "c.md"]) writeFileSync(work(name), "TOKEN=ordinary\n");
    for (const name of ["server.key", "src/c.pem"]) writeFileSync(work(name), "TOKEN=hidden-value\n");
    await using haft = await haftWith("default");
    const result = await haft.call("Bash", { command });
    expect(JSON.stringify(result)).not.toContain("hidden-value");
    // If the command itself may read a key, the question comes before anything else.
    const isHeldBack = (result.output as { exitCode?: number } | undefined)?.exitCode === 126;
    expect([command, isHeldBack || result.error?.code === "needs_approval"]).toEqual([command, isHeld]);
    if (isHeldBack) expect(JSON.stringify(result.content)).toMatch(/server\.key|c\.pem/);
  });
});

it("G07 G12 without a sandbox a command that follows links runs where they stay, and is held back where one leads out", async () => {
  const work = join(base, "work");
  mkdirSync(join(work, "src"));
  mkdirSync(join(base, "other"));
  writeFileSync(join(work, "src", "a.md"), "our plan\n");
  writeFileSync(join(base, "other", "plan.md"), "their plan\n");
  symlinkSync("a.md", join(work, "src", "same.md"));
  const commands = [
    "grep -R plan src",
    "find -L src -name '*.md'",
    "ls -RL src",
    "du -aL src",
    "find -L . -name '*.md' -exec cat {} +",
    "grep -RA3 plan",
  ];
  await using haft = await haftWith("default");
  for (const command of commands) {
    const result = await haft.call("Bash", { command });
    expect([command, result.error, /plan|\.md/.test(printed(result))]).toEqual([command, undefined, true]);
  }
  symlinkSync("../../other", join(work, "src", "lib"));
  for (const command of commands) {
    const result = await haft.call("Bash", { command });
    const said = JSON.stringify(result);
    expect([command, /was not run|needs approval/.test(said), said.includes("their plan")]).toEqual([
      command,
      true,
      false,
    ]);
  }
});
