import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { definitionTokens } from "@haft/core/registry/deferral";
import { expect, it } from "vitest";
import { agentSession, treeModel } from "../../test/support/agents.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";
import type { Haft } from "./haft.ts";

const places = sessionPlaces("offer");

type Size = readonly [name: string, tokens: number, description: string];

/** The tools that a request carries, with their sizes. */
async function offered(haft: Haft): Promise<readonly Size[]> {
  const { tools } = await haft.offer({ deferred: true });
  return tools.map(({ name, description, entry }) => [name, definitionTokens(entry.tool, description), description]);
}

const sum = (sizes: readonly Size[]) => sizes.reduce((total, [, tokens]) => total + tokens, 0);

it("D09 nor does it on a machine with a browser and a language server: their tools are deferred", async () => {
  const place = places.make("bin");
  const PATH = join(place.base, "bin");
  for (const program of ["chromium", "rust-analyzer"])
    writeFileSync(join(PATH, program), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const { haft } = await agentSession(places, treeModel({}), { env: { PATH } });
  const sizes = await offered(haft);
  expect(sizes.find(([name]) => name === "ToolSearch")?.[2]).toMatch(/LSP[\s\S]*WebBrowser/);
  expect(sum(sizes), JSON.stringify(sizes)).toBeLessThanOrEqual(5_000);
});

it("D09 the default offer takes at most 5,000 tokens, with a model and the tools for agents", async () => {
  const { haft } = await agentSession(places, treeModel({}));
  const sizes = await offered(haft);
  expect(sizes.map(([name]) => name)).toEqual(expect.arrayContaining(["Agent", "Bash", "ToolSearch"]));
  expect(sum(sizes), JSON.stringify(sizes)).toBeLessThanOrEqual(5_000);
});
