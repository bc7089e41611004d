// If a deny rule only might match a command, a person decides: no hook and no mode can answer for them.
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-unseen-")));
  writeFileSync(join(base, "kept"), "x");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it.each([
  ["Bash(rm *)", 'X=$(printf r; printf m); "$X" kept'],
  ["Bash(rm *)", "printf 'r%s kept' m | sh"],
  ["Bash(rm *)", `perl -e 'system("rm kept")'`],
  ["write(kept)", "rm k*"],
])("F12 a hook's yes leaves the question that %s asks about `%s`", async (deny, command) => {
  for (const mode of ["default", "bypassPermissions"] as const) {
    await using haft = await createHaft({
      ...{ cwd: base, home: base, settings: false, stateDir: false, mcpServers: false, mode },
      rules: { allow: ["Bash"], deny: [deny] },
      hooks: [{ name: "yes", before: () => ({ decision: "allow", reason: "fine" }) }],
      env: { PATH: process.env.PATH ?? "" },
    });
    const { error } = await haft.call("Bash", { command });
    expect([mode, error?.code, existsSync(join(base, "kept"))]).toEqual([mode, "needs_approval", true]);
  }
});
