import { definitionTokens } from "@haft/core/registry/deferral";
import { expect, it } from "vitest";
import { agentSession, treeModel } from "../../test/support/agents.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";

const places = sessionPlaces("offer");

it("D09 the default offer takes at most 5,000 tokens, with a model and the tools for agents", async () => {
  const { haft } = await agentSession(places, treeModel({}));
  const { tools } = await haft.offer({ deferred: true });
  const sizes = tools.map(({ name, description, entry }) => [name, definitionTokens(entry.tool, description)] as const);
  expect(sizes.map(([name]) => name)).toEqual(expect.arrayContaining(["Agent", "Bash", "ToolSearch"]));
  const sum = sizes.reduce((total, [, tokens]) => total + tokens, 0);
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(5_000);
});
