import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("N11 the example with a nightly job ends well: rehearsed, approved once, its deviation answered elsewhere", {
  tags: ["smoke"],
  timeout: 60_000,
}, () => {
  const script = fileURLToPath(new URL("../examples/nightly/start.mjs", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, ["--conditions=haft-source", script], {
    encoding: "utf8",
  });
  expect(stdout).toContain("✓ after a yes from another process: completed");
  expect(status).toBe(0);
});
