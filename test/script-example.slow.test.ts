import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("L06 the example with a script ends well: parked at its question, answered elsewhere, resumed", {
  tags: ["smoke"],
  timeout: 60_000,
}, () => {
  const script = fileURLToPath(new URL("../examples/script/start.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=haft-source", script], {
    encoding: "utf8",
  });
  expect(stdout, stderr).not.toContain("✗");
  expect(stdout, stderr).toContain("✓ the first call was not repeated");
  expect(status).toBe(0);
});
