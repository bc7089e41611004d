import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { read } from "./read.ts";

// A machine without the optional decoder: nothing can be made smaller, and only headers are looked at.
vi.mock("sharp", () => {
  throw new Error("Cannot find package 'sharp'");
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** A header that says a size, and nothing after it. */
const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.from(PIXEL, "base64");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

let world: World;
const put = (name: string, data: Uint8Array) => writeFile(`${world.folder}/${name}`, data);
const use = (file_path: string) => world.use(read, { file_path });

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("Read of an image without a decoder", () => {
  it.each([
    ["gif", [..."GIF89a"].map((each) => each.charCodeAt(0)).concat([0x10, 0, 0x20, 0, 0, 0, 0, 0])],
    ["jpg", [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 0x20, 0, 0x10, 1, 1, 0x11, 0]],
    [
      "webp",
      [..."RIFF\u0016\0\0\0WEBPVP8X\u000a\0\0\0\0\0\0\0"]
        .map((each) => each.charCodeAt(0))
        .concat([15, 0, 0, 31, 0, 0]),
    ],
  ])("K02 a %s is an image as long as its header is whole", async (name, bytes) => {
    await put(`a.${name}`, Buffer.from(bytes));
    expect((await use(`a.${name}`)).output.image).toMatchObject({ bytes: bytes.length, width: 16, height: 32 });
    await put(`cut.${name}`, Buffer.from(bytes.slice(0, 9)));
    expect((await failure(use(`cut.${name}`))).code).toBe("binary_file");
  });

  it.each([
    ["pixels", png(2500, 100), "2500 × 100 pixels"],
    ["bytes", Buffer.concat([png(100, 100), Buffer.alloc(5 * 1024 * 1024)]), "models take at most 3,932,160"],
    ["pixels, unfolded", png(60_000, 60_000), "60,000 × 60,000 pixels"],
  ])("K02 one with too many %s is refused with the cure", async (_, bytes, words) => {
    await put("big.png", bytes);
    const { code, message, hint } = await failure(use("big.png"));
    expect([code, message]).toEqual(["file_too_large", expect.stringContaining(words)]);
    expect(hint).toMatch(/smaller copy/);
  });
});
