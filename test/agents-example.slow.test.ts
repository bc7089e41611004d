import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("S01 S15 the example with several agents ends well: side by side, within a budget", {
  tags: ["smoke"],
  timeout: 60_000,
}, () => {
  const script = fileURLToPath(new URL("../examples/agents/start.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=haft-source", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout).toContain("✓ two explorers side by side");
  expect(status).toBe(0);
});
