import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createHaft } from "./create-haft.ts";

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

it("G15 without a sandbox, too, what runs unasked sees no keys of the environment, by whatever command", async () => {
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

it("G15 what was approved runs in the user's environment", async () => {
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
