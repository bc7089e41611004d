import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const put = (hex: string) => writeFile(at("a"), Buffer.from(hex, "hex"));
const onDisk = async (encoding: string) => new TextDecoder(encoding).decode(await readFile(at("a")));

beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const texts = [
  ["shift_jis", "82b182ea82cd93fa967b8cea82cc8365834c8358836782c582b781420a938c8b9e835e838f815b82cd8d8282a281420a"],
  ["gb18030", "d5e2cac7d2bbb8f6d6d0cec4cec4b1becec4bcfea1a30ab1b1bea9bbb6d3adc4e3a1a30ab1e0b3ccd3efd1d40a"],
  [
    "euc-kr",
    "c0ccb0cdc0ba20c7d1b1b9beee20c5d8bdbac6aec0d4b4cfb4d92e0abcadbfefbfa120bfc0bdc520b0cdc0bb20c8afbfb5c7d5b4cfb4d92e0a",
  ],
] as const;

describe("a text that is not UTF-8", () => {
  it.each(texts)("K01 K05 %s: the guess is told, and an edit keeps the encoding", async (encoding, hex) => {
    await put(hex);
    const text = new TextDecoder(encoding).decode(Buffer.from(hex, "hex"));
    const { output } = await world.use(read, { file_path: "a" });
    expect(output).toMatchObject({ text: text.trimEnd(), notice: expect.stringContaining(`${encoding} is a guess`) });
    const first = text.slice(0, 2);
    const done = await world.use(edit, { file_path: "a", old_string: text.split("\n")[0], new_string: first });
    const notes = [expect.stringContaining(`${encoding} is a guess`)];
    expect([done.output.left, done.display]).toEqual([notes, expect.objectContaining({ notes })]);
    expect(await onDisk(encoding)).toBe([first, ...text.split("\n").slice(1)].join("\n"));
  });

  it("K01 K04 K05 a wrong guess is told, and `encoding` corrects it in Read, Edit and Write", async () => {
    await put(`${Buffer.from("x = 1 # ").toString("hex")}d1c30a`);
    const wrong = (await world.use(read, { file_path: "a" })).output;
    expect(wrong.text).not.toContain("яц");
    expect(wrong.notice).toMatch(/is a guess.*pass the right one as encoding/);
    const old = { file_path: "a", old_string: "яц", new_string: "юц" };
    expect(await failure(world.use(edit, old))).toMatchObject({ hint: expect.stringContaining("encoding") });
    const right = (await world.use(read, { file_path: "a", encoding: "KOI8-R" })).output;
    expect([right.text, right.notice]).toEqual(["x = 1 # яц", undefined]);
    expect((await world.use(edit, { ...old, encoding: "koi8-r" })).output.left).toBeUndefined();
    expect(await onDisk("koi8-r")).toBe("x = 1 # юц\n");
    await world.use(read, { file_path: "a", encoding: "koi8-r" });
    await world.use(write, { file_path: "a", content: "ж\n", encoding: "koi8-r" });
    expect(await onDisk("koi8-r")).toBe("ж\n");
  });

  it("K04 a new file is written in the encoding that is named", async () => {
    await world.use(write, { file_path: "a", content: "東京\n", encoding: "Shift_JIS" });
    expect(await onDisk("shift_jis")).toBe("東京\n");
  });

  it("K01 K05 an unknown encoding is refused, and one that would damage other bytes", async () => {
    await put("6f6c6420fc0a");
    for (const encoding of ["nonsense", "base64"]) {
      expect(await failure(world.use(read, { file_path: "a", encoding }))).toMatchObject({ code: "invalid_input" });
      const wish = { file_path: "a", old_string: "old", new_string: "new", encoding };
      expect(await failure(world.use(edit, wish))).toMatchObject({ code: "invalid_input" });
    }
    const wish = { file_path: "a", old_string: "old", new_string: "new", encoding: "utf-8" };
    expect(await failure(world.use(edit, wish))).toMatchObject({ code: "validation_failed" });
    expect(await onDisk("windows-1252")).toBe("old ü\n");
  });
});
