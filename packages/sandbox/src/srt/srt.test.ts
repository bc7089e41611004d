// The sandbox runtime as a tier. If it starts here, the escape tests try what it confines.
import { isWithin } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScratch, UNREAD, WITHOUT_RUNTIME } from "../../test/support/confined.ts";
import "../../../../test/support/seed.ts";
import { createRuntimeConfiner, type Fence, probeTier } from "../index.ts";
import { runtimeConfig } from "./config.ts";

const path = fc
  .array(fc.constantFrom("a", "b", "*", "[x]", "~"), { minLength: 1, maxLength: 4 })
  .map((p) => `/${p.join("/")}`);
const paths = fc.uniqueArray(path, { maxLength: 5 });
const fence: fc.Arbitrary<Fence> = fc.record({
  ...{ hidden: paths.map((all) => all.map((one) => ({ path: one, isFolder: true }))), sealed: paths, readOnly: paths },
  ...{ anchored: paths, writable: paths, fresh: paths, temporary: fc.constant("/tmp") },
  network: fc.constantFrom("none", "proxy"),
  processes: fc.constant("own"),
  emptied: paths,
  aliases: fc.constant([]),
  weaknesses: fc.constant([]),
});

describe("a fence in the words of the runtime", () => {
  it("G15 grants no write that the fence does not, and takes back what the fence holds or hides", () => {
    fc.assert(
      fc.property(fence, paths, (plan, seen) => {
        const { filesystem, network } = runtimeConfig({ fence: plan, hosts: [], seen });
        const named = (entries: readonly { readonly path: string }[]) => entries.map((entry) => entry.path).sort();
        expect(named(filesystem.allowWrite)).toEqual([...plan.writable].sort());
        expect(named(filesystem.denyWrite)).toEqual([...new Set([...plan.readOnly, ...plan.sealed])].sort());
        for (const closed of [...plan.hidden.map((one) => one.path), ...plan.fresh])
          expect(named(filesystem.denyRead)).toContain(closed);
        for (const open of named(filesystem.allowRead))
          expect([...plan.readOnly, ...plan.writable].includes(open) || seen.includes(open)).toBe(true);
        for (const open of seen)
          if (!named(filesystem.denyRead).some((folder) => isWithin(folder, open)) && !plan.readOnly.includes(open))
            expect(plan.writable.includes(open) || !named(filesystem.allowRead).includes(open)).toBe(true);
        // A path is never read as a pattern.
        for (const entry of Object.values(filesystem).flat()) expect(entry.literal).toBe(true);
        expect(network.allowedDomains).toEqual([]);
      }),
    );
  });
});

describe("the tier srt", () => {
  it("G15 tells why it does not work, with the cure, and the missing protection", async () => {
    const { tiers } = await probeTier({ workspaces: [], home: "/nowhere", srt: true });
    const srt = tiers.find(({ name }) => name === "srt");
    expect(srt?.works).toBe(WITHOUT_RUNTIME === undefined);
    if (!srt?.works) expect(srt?.reason).toMatch(/ordinary user|Install/);
    expect(srt?.cannot.length).toBeGreaterThan(3);
  });

  it.skipIf(WITHOUT_RUNTIME === undefined)("G15 runs nothing where it does not work", async () => {
    await using scratch = await createScratch({ confiner: createRuntimeConfiner });
    await expect(scratch.run("touch ran")).rejects.toMatchObject({ code: "sandbox_unavailable" });
  });

  it.skipIf(WITHOUT_RUNTIME !== undefined)(
    "G15 refuses what it cannot hold: the whole network, address ranges",
    async () => {
      for (const network of ["host", ["10.0.0.0/8"]] as const) {
        await using scratch = await createScratch({ confiner: createRuntimeConfiner, network });
        await expect(
          scratch.processes.run({ command: "true", cwd: scratch.root, bound: UNREAD }),
        ).rejects.toMatchObject({
          message: expect.stringContaining("by name"),
        });
      }
    },
  );
});
