import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("R03 R10 P08 Q01 the example with tools from every origin ends well", { tags: ["smoke"], timeout: 60_000 }, () => {
  const script = fileURLToPath(new URL("../examples/extend/start.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=haft-source", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  for (const line of [
    "✓ a skill",
    "✓ a tool file: HELLO",
    "✓ a discovered tool: 5",
    "✓ a tool of an MCP server: twelve",
    "✓ a tool under Gemini's name:",
    "✓ Gemini's names in the offer",
    "asked about: add, mcp__clock__hour",
    "✓ a plugin's tool: 3",
  ])
    expect(stdout).toContain(line);
  expect(status).toBe(0);
});
