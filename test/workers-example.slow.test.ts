import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasRedis } from "./support/redis-server.ts";

it.runIf(hasRedis)(
  "the example with three workers runs each call where it belongs",
  { tags: ["smoke"], timeout: 90_000 },
  () => {
    const script = fileURLToPath(new URL("../examples/workers/start.mjs", import.meta.url));
    const { status, stdout } = spawnSync(process.execPath, ["--conditions=haft-source", script], { encoding: "utf8" });
    expect(stdout).toContain("✓ one of them ran on the worker with the browser");
    expect(status).toBe(0);
  },
);
