import { findBwrap } from "@haft/sandbox/facts";
import { expect, it } from "vitest";
import { hasPerl, race } from "../../test/support/racer.ts";

// All kinds and more calls: `exchanged-folders.slow.test.ts`.
const canRace = hasPerl && (await findBwrap([])) !== undefined;

it.skipIf(!canRace).each(["touch", "cat"])(
  "G11 L01 %s leaves the outside alone while a folder is exchanged with a link to it",
  { timeout: 60_000 },
  async (kind) => {
    expect((await race([kind], 3)).leaks).toEqual([]);
  },
);
