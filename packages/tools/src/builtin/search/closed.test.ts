import { createFiles, createRipgrep } from "@haft/host";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../../test/support/context.ts";
import { grep } from "./grep.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

describe.runIf(process.platform === "linux")("an unreadable file or folder", () => {
  it("K10 H06 is said, so that no match is not taken for none", async () => {
    // This file answers every reader with an error, root too.
    const found = await world.use(grep, { pattern: "needle", path: "/proc/self", glob: "mem" });
    expect(found.output).toMatchObject({ total: 0, unread: true });
    expect(found.text).toMatch(/^No match for needle in \/proc\/self\.\n\[Some files or folders could not be read/);
  });

  it.each([createFiles({ ripgrep: createRipgrep() }), createFiles()])(
    "K11 is said by both engines, and nothing is where all was read",
    async (files) => {
      const query = { pattern: "Name", want: "files", limit: 9 } as const;
      expect(await files.search({ ...query, root: "/proc/self", glob: ["mem"] })).toMatchObject({ unread: true });
      expect(await files.search({ ...query, root: "/proc/self/status" })).not.toHaveProperty("unread");
    },
  );
});
