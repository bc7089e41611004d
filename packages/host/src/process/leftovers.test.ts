import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collectLeftovers } from "./leftovers.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-leftovers-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a leftover of a killed host", () => {
  it("L08 is removed when it is ours, old, and of a kind that lives for milliseconds", async () => {
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
    const make = (name: string, isOld: boolean) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "0"), "");
      if (isOld) utimesSync(join(folder, name), old, old);
    };
    for (const name of ["haft-pipe-abc123", "haft-filter-ABC123", "haft-probe-a1b2c3"]) make(name, true);
    for (const name of ["haft-pipe-fresh1", "haft-net-abc123"]) make(name, name.includes("net"));
    for (const name of ["haft-pipe-abc1234", "my-haft-pipe-abc123", "haft-pipe-too-long"]) make(name, true);
    const kept = [
      "haft-net-abc123",
      "haft-pipe-abc1234",
      "haft-pipe-fresh1",
      "haft-pipe-too-long",
      "my-haft-pipe-abc123",
    ];
    if (process.getuid?.() === 0) {
      make("haft-pipe-other1", true);
      chownSync(join(folder, "haft-pipe-other1"), 12345, 12345);
      kept.push("haft-pipe-other1");
    }
    mkdirSync(join(folder, "target"));
    symlinkSync(join(folder, "target"), join(folder, "haft-pipe-linked"));
    await collectLeftovers(folder);
    expect(readdirSync(folder).sort()).toEqual([...kept, "haft-pipe-linked", "target"].sort());
    await collectLeftovers(join(folder, "missing"));
  });
});
