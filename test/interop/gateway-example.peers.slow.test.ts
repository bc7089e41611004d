import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("Q13 the example of a gateway in front of three servers does what it tells", async () => {
  const script = fileURLToPath(new URL("../../examples/gateway/start.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(stdout).toContain("✓ three servers, one policy");
  expect(stdout).toMatch(/reports +Read, mcp__files__read_text_file\n/);
}, 60_000);
