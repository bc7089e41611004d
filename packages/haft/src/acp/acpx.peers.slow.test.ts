import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { ended, HAFT, scratch } from "../../test/support/haft-process.ts";

const acpx = join(fileURLToPath(import.meta.resolve("acpx/package.json")), "../dist/cli.js");

// A client of others, headless: its yes lets the command run, its no does not.
it.each([
  ["--approve-all", true],
  ["--deny-all", false],
])("E16 F28 acpx %s drives haft acp", { timeout: 60_000 }, async (policy, isMade) => {
  using place = scratch();
  await using server = await wireServer([
    { events: streamOf([call("t1", "Bash", { command: "touch made.txt" })]) },
    { events: streamOf([say("Made it.")]) },
  ]);
  const agent = [process.execPath, ...HAFT, "acp", "--model", "anthropic/claude-test"].join(" ");
  const env = { ...place.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const child = spawn(process.execPath, [acpx, policy, "--cwd", place.cwd, "--agent", agent, "exec", "Make it."], {
    ...{ cwd: place.cwd, env },
  });
  child.stdin.end();
  const { stdout } = await ended(child);
  expect(stdout).toContain("touch made.txt");
  expect(stdout).toContain("[done] end_turn");
  expect(existsSync(join(place.cwd, "made.txt"))).toBe(isMade);
});
