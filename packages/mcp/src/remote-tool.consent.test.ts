import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExecutor } from "@haft/core/executor";
import { afterEach, expect, it } from "vitest";
import { mcpBench, rough } from "../test/support/mcp.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-consent-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("F29 a server may demand a person for a tool; no mode and no rule answers in their place", async () => {
  const definition = join(folder, "deploy.json");
  writeFileSync(definition, JSON.stringify({ _meta: { "anthropic/requiresUserInteraction": true } }));
  await using bench = mcpBench({ mode: "bypassPermissions", allow: ["mcp__shop"] });
  bench.manager.add(rough("version", { name: "shop" }, definition));
  await bench.manager.settled();
  const decided = async (tool: string) =>
    (await createExecutor(bench.machine).explain({ id: "x", tool, input: {} })).decision?.decision;
  expect(await decided("mcp__shop__deploy")).toBe("ask");
  expect(await decided("mcp__shop__steady")).toBe("allow");
  const [outcome] = await createExecutor(bench.machine).run([{ id: "y", tool: "mcp__shop__deploy", input: {} }]);
  expect(outcome?.result.error).toMatchObject({
    code: "needs_approval",
    hint: expect.stringMatching(/no rule can allow it/i),
  });
});
