import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScratch, type Scratch, WITHOUT_SANDBOX } from "../test/support/confined.ts";
import { confinedEnvironment, findBwrap } from "./doors/facts.ts";
import { probeTier, type TierReport } from "./index.ts";

let folder: string;
let scratch: Scratch | undefined;
beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/haft-tier-`);
});
afterEach(async () => {
  await scratch?.close();
  scratch = undefined;
  await rm(folder, { recursive: true, force: true });
});
async function program(text: string): Promise<string> {
  await writeFile(`${folder}/bwrap`, `#!/bin/sh\n${text}\n`);
  await chmod(`${folder}/bwrap`, 0o755);
  return `${folder}/bwrap`;
}
const reportOf = (bwrap: string | undefined): TierReport => ({
  ...{ tier: bwrap ? "bwrap" : "none", tiers: [], durationMs: 0 },
  ...(bwrap ? { bwrap } : {}),
});

describe("without a working sandbox", () => {
  it("G15 nothing runs: it is not there, it is broken from the start, it breaks later, it is gone", async () => {
    const broken = [
      undefined,
      await program("echo 'bwrap: No permissions to create new namespace' >&2; exit 1"),
      `${folder}/gone`,
    ];
    for (const bwrap of broken) {
      scratch = await createScratch({ probe: () => Promise.resolve(reportOf(bwrap)) });
      await expect(scratch.run("touch ran")).rejects.toMatchObject({
        code: "sandbox_unavailable",
        hint: expect.stringContaining("haft doctor"),
      });
      const { existsSync } = await import("node:fs");
      expect(existsSync(`${scratch.root}/ran`)).toBe(false);
      await scratch.close();
    }
  });

  it.skipIf(WITHOUT_SANDBOX)("G15 a program that talks like bwrap is not taken for it", async () => {
    scratch = await createScratch();
    const outcome = await scratch.run("echo 'bwrap: nothing works' >&2; exit 1");
    expect(outcome).toMatchObject({ exitCode: 1, stderr: "bwrap: nothing works\n" });
  });
});

describe("the tier", () => {
  it("G15 is found by trying: one that is there but does not work is none, and says why", async () => {
    const tiers = async (text: string) => {
      await program(text);
      return probeTier({ workspaces: [], home: folder, path: folder });
    };
    const reason = ({ tiers: all }: TierReport) => all.find(({ name }) => name === "bwrap")?.reason;
    const refused = await tiers("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
    expect([refused.tier, refused.bwrap, reason(refused)]).toEqual([
      "none",
      undefined,
      expect.stringMatching(/namespaces/),
    ]);
    expect(reason(await tiers("echo something"))).toMatch(/instead of/);
    expect(reason(await probeTier({ workspaces: [], home: folder, path: "/nowhere" }))).toMatch(/Install/);
    expect((await probeTier({ workspaces: [], home: folder, platform: "darwin" })).tier).toBe("none");
  });

  it.skipIf(WITHOUT_SANDBOX)("G15 tells its promises and limits, and the untried parts", async () => {
    const report = await probeTier({ workspaces: [], home: folder });
    const by = Object.fromEntries(report.tiers.map((tier) => [tier.name, tier]));
    expect(report.tier).toBe("bwrap");
    expect([by.view?.works, by.srt?.works, by.bwrap?.works, by.none?.works]).toEqual([false, false, true, true]);
    expect(by.view?.reason).toMatch(/only holds back changes/);
    expect(by.srt?.reason).toMatch(/only tried if the settings/);
    for (const name of ["srt", "bwrap", "none"]) expect(by[name]?.cannot.length, name).toBeGreaterThan(0);
    expect(by.bwrap?.promises.length).toBeGreaterThan(3);
    expect(by.none?.promises).toEqual([]);
    if (process.getuid?.() === 0) expect(by.bwrap?.cannot.join()).toMatch(/runs as root/);
  });

  it("G15 no program of a workspace is taken for it, by no way", async () => {
    await program("echo held");
    await symlink(`${folder}/bwrap`, `${folder}/link`);
    const other = await mkdtemp(`${tmpdir()}/haft-tier-`);
    await symlink(`${folder}/bwrap`, `${other}/bwrap`);
    expect(await findBwrap([], `:.:relative:${folder}`)).toBe(`${folder}/bwrap`);
    expect(await findBwrap([folder], `${folder}:${other}`)).toBeUndefined();
    expect(await findBwrap([other], other)).toBeUndefined();
    await rm(other, { recursive: true });
  });
});

describe("the environment", () => {
  it("G15 passes a list of names and what is added, and no relative way to a program", () => {
    const full = {
      PATH: ":./bin:/usr/bin:node_modules/.bin",
      LC_ALL: "C",
      GITHUB_TOKEN: "t",
      HOME: "/h",
      X: "1",
      SSH_AUTH_SOCK: "/s",
    };
    expect(confinedEnvironment(full, { added: ["X"] })).toEqual({
      PATH: "/usr/bin",
      LC_ALL: "C",
      HOME: "/h",
      X: "1",
      TMPDIR: "/tmp",
    });
  });
});
