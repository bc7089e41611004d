import { findBwrap } from "@haft/sandbox/facts";
import { describe, expect, it } from "vitest";
import { hasPerl, KINDS, race } from "../../test/support/racer.ts";

/** `HAFT_RACES=1000` is the full size: so many calls of each kind in each setting. */
const FULL = process.env.HAFT_RACES;
const CALLS = Number(FULL ?? 40);

const canRace = hasPerl && (await findBwrap([])) !== undefined;

it.skipIf(!canRace)("L01 Read shows nothing outside in a short race", { tags: ["smoke"] }, async () => {
  expect((await race(["Read"], 2)).leaks).toEqual([]);
});

describe.skipIf(!canRace)("a folder that another program exchanges with a link out of the workspace", () => {
  it.each(KINDS)(
    "G11 L01 %s makes, changes, removes and shows nothing outside",
    { timeout: 60_000 + CALLS * 2_000 },
    async (kind) => {
      const { leaks, succeeded } = await race([kind], CALLS, 60 + CALLS * 2);
      expect(leaks).toEqual([]);
      expect(succeeded).toBeGreaterThan(0);
    },
  );
});

/** Only root can become somebody else and mount. */
describe.skipIf(!canRace || process.getuid?.() !== 0)("the same race", () => {
  const count = FULL ? CALLS : 2;
  const groups = FULL ? KINDS.map((kind) => [kind]) : [KINDS.slice(0, 7), KINDS.slice(7)];
  const settings = [{ asUser: true, onMounts: true }, ...(FULL ? [{ asUser: true }, { onMounts: true }] : [])];
  const cases = settings.flatMap((setting) => groups.map((kinds) => ({ setting, kinds })));
  // Nothing can be held where something is mounted in the workspace.
  const canAll = cases.filter(({ setting, kinds }) => !setting.onMounts || kinds.join() !== "held commit");
  it.each(canAll)("G11 L01 with $setting: $kinds", { timeout: 60_000 + count * 2_000 }, async ({ setting, kinds }) => {
    const { leaks, succeeded } = await race(kinds, count, 60 + count * 2, setting);
    expect(leaks).toEqual([]);
    expect(succeeded).toBeGreaterThan(0);
  });
});
