import { findBwrap } from "@haft/tools";
import { describe, expect, it } from "vitest";
import { hasPerl, KINDS, race } from "../../test/support/racer.ts";

/** `HAFT_RACES=1000` is the full size. */
const CALLS = Number(process.env.HAFT_RACES ?? 40);

const canRace = hasPerl && (await findBwrap([])) !== undefined;

it.skipIf(!canRace)("L01 Read shows nothing outside in a short race", { tags: ["smoke"] }, async () => {
  expect((await race("Read", 2)).leaks).toEqual([]);
});

describe.skipIf(!canRace)("a folder that another program exchanges with a link out of the workspace", () => {
  it.each(KINDS)(
    "G11 L01 %s makes, changes, removes and shows nothing outside",
    { timeout: 60_000 + CALLS * 2_000 },
    async (kind) => {
      const { leaks, succeeded } = await race(kind, CALLS, 60 + CALLS * 2);
      expect(leaks).toEqual([]);
      expect(succeeded).toBeGreaterThan(0);
    },
  );
});
