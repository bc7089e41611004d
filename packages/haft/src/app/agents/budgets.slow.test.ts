import { expect, it } from "vitest";
import { budgetTrees } from "../../../test/support/budget-trees.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("budget-trees");

it("S09 of 10 random trees none spends more than its budget", { tags: ["smoke"] }, async () => {
  expect(await budgetTrees(places, 10)).toMatchObject({ trees: 10, over: [] });
});

it("S09 of 1,000 random trees none spends more than its budget, in tokens, calls, agents or money", async () => {
  const { trees, over } = await budgetTrees(places, 1000);
  expect({ trees, over }).toEqual({ trees: 1000, over: [] });
}, 600_000);
