import { expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { askStorm } from "../../../test/support/ask-storm.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("ask-storm");

it("S11 of 5 random interleavings of asks none is lost and none reaches another agent", {
  tags: ["smoke"],
}, async () => {
  expect(await askStorm(places, 5)).toEqual({ lost: 0, crossed: 0, rounds: 5 });
});

it.each(Array.from({ length: 10 }, (_, index) => index))(
  "S11 of 100 random interleavings of asks (%i of 10) none is lost and none reaches another agent",
  async () => {
    expect(await askStorm(places, 100)).toEqual({ lost: 0, crossed: 0, rounds: 100 });
  },
  patience(60_000),
);
