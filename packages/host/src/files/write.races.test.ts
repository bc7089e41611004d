import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFiles } from "../create-files.ts";
import { locate } from "./locate.ts";
import { writeFile } from "./write.ts";

const files = createFiles();
let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(`${tmpdir()}/haft-write-races-`));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ["small", 10],
  ["large", 3 * 1024 * 1024],
])("of writers of a %s file that expect the same content", (_name, size) => {
  it("K04 exactly one wins, though all come to the check in the same instant", async () => {
    const path = `${folder}/a`;
    const { hash } = await files.write(path, "0".repeat(size));
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const copyAttributes = async () => {
      if (++waiting === 3) gate.resolve();
      await gate.promise;
      return [];
    };
    const texts = ["1", "2", "3"].map((digit) => digit.repeat(size));
    const all = await Promise.allSettled(
      texts.map((text) => writeFile(path, text, { expect: hash }, { place: locate, copyAttributes })),
    );
    const winners = texts.filter((_, at) => all[at]?.status === "fulfilled");
    expect(winners).toHaveLength(1);
    expect((await readFile(path, "utf8")) === winners[0]).toBe(true);
    const codes = all.flatMap((one) => (one.status === "rejected" ? one.reason.code : []));
    expect(codes).toEqual(["file_changed", "file_changed"]);
  });
});
