import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findBrowser } from "@haft/service/web";
import { describe, expect, it } from "vitest";
import { hasRedis } from "./support/redis-server.ts";

const hasBrowser = !("absent" in findBrowser(undefined, process.env));

function play(name: string) {
  const script = fileURLToPath(new URL(`../examples/workers/${name}`, import.meta.url));
  return spawnSync(process.execPath, ["--conditions=haft-source", script], { encoding: "utf8" });
}

describe.runIf(hasRedis)("the examples with workers", { timeout: 90_000 }, () => {
  it("run each call of an agent where it belongs", { tags: ["smoke"] }, () => {
    const { status, stdout } = play("start.mjs");
    expect(stdout).toContain("✓ the training ran on the worker with the label");
    expect(status).toBe(0);
  });

  it.runIf(hasBrowser)("keep a page open in the browser of a worker", () => {
    const { status, stdout } = play("browser.mjs");
    expect(stdout).toContain("✓ three actions ran on the worker with the browser");
    expect(stdout).toContain("✓ the page stayed open between them");
    expect(status).toBe(0);
  });
});
