import { writeFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { MAX_IMAGE_BYTES } from "../support/image.ts";
import { read } from "./read.ts";

let world: World;
const put = async (name: string, data: Uint8Array | Promise<Uint8Array>) =>
  writeFile(`${world.folder}/${name}`, await data);
const use = (file_path: string) => world.use(read, { file_path });
const canvas = (width: number, height: number, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } });
/** Pixels that no format can make small. */
const noise = (width: number, height: number): Sharp => {
  let state = 1;
  const data = Buffer.alloc(width * height * 3, 0);
  for (let at = 0; at < data.length; at++) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    data[at] = state >> 16;
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
};
const decoded = async (name: string) => {
  const { output, text } = await use(name);
  const bytes = Buffer.from(output.image!.data, "base64");
  return { image: output.image!, bytes, text, is: await sharp(bytes).metadata() };
};

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("Read of an image", () => {
  it("H03 K02 one within the limits keeps its bytes, with its path and size in words and as data", async () => {
    const png = await canvas(640, 400).png().toBuffer();
    await put("small.png", png);
    const { image, bytes, text } = await decoded("small.png");
    expect(bytes.equals(png)).toBe(true);
    expect(image).toMatchObject({ mediaType: "image/png", width: 640, height: 400, bytes: png.length });
    expect(text).toContain(`[Image ${world.folder}/small.png: 640 × 400 pixels.]`);
  });

  it.each(["png", "jpeg", "webp", "gif"] as const)(
    "K02 a large %s is made smaller, in its proportion",
    async (format) => {
      await put(`large.${format}`, canvas(4000, 2500).toFormat(format).toBuffer());
      const { is, text, image } = await decoded(`large.${format}`);
      expect([is.width, is.height]).toEqual([2000, 1250]);
      expect(image.mediaType).toBe(format === "gif" ? "image/png" : `image/${format}`);
      expect(text).toContain("2000 × 1250 pixels, made smaller from 4000 × 2500");
    },
  );

  it("K02 one of few pixels and many bytes comes within the bytes that providers take", async () => {
    await put("noise.png", noise(1900, 1900).png().toBuffer());
    const { bytes, image } = await decoded("noise.png");
    expect(bytes.length).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
    expect(image.data.length).toBeLessThanOrEqual(5 * 1024 * 1024);
  });

  it("K02 a photograph that lies on its side is turned upright", async () => {
    await put("turned.jpg", canvas(300, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer());
    const { is, text } = await decoded("turned.jpg");
    expect([is.width, is.height, is.orientation ?? 1]).toEqual([200, 300, 1]);
    expect(text).toContain("turned upright");
  });

  it("K02 one in the colours of print is given in those of a screen", async () => {
    await put("print.jpg", canvas(300, 200).toColourspace("cmyk").jpeg().toBuffer());
    const { is, text } = await decoded("print.jpg");
    expect([is.width, is.height, is.space]).toEqual([300, 200, "srgb"]);
    expect(text).toContain("300 × 200 pixels, its colours made RGB");
  });

  it("K02 the first picture of an animation is shown, with a note", async () => {
    const frames = Buffer.concat([Buffer.alloc(100 * 100 * 3, 10), Buffer.alloc(100 * 100 * 3, 240)]);
    const moving = sharp(frames, { raw: { width: 100, height: 200, channels: 3, pageHeight: 100 } });
    await put("moving.gif", moving.gif({ delay: [100, 100] }).toBuffer());
    const { is, text } = await decoded("moving.gif");
    expect([is.width, is.height, is.pages ?? 1]).toEqual([100, 100, 1]);
    expect(text).toContain("the first of 2 pictures of an animation");
  });

  it("K02 transparency is kept", async () => {
    await put("clear.png", canvas(2400, 100, 4).png().toBuffer());
    expect((await decoded("clear.png")).is.hasAlpha).toBe(true);
  });

  it("K02 a damaged image is refused: in a conversation it would break every request", async () => {
    const png = await noise(300, 300).png().toBuffer();
    await put("cut.png", png.subarray(0, png.length / 2));
    expect(await failure(use("cut.png"))).toMatchObject({
      code: "binary_file",
      message: expect.stringContaining("is damaged"),
    });
    await put("nothing.jpg", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10]));
    expect(await failure(use("nothing.jpg"))).toMatchObject({ code: "binary_file" });
  });

  it("K02 a small file that claims very many pixels is refused before it unfolds", async () => {
    const png = Buffer.from(await canvas(8, 8).png().toBuffer());
    png.writeUInt32BE(60_000, 16);
    png.writeUInt32BE(60_000, 20);
    await put("bomb.png", png);
    const before = process.memoryUsage.rss();
    expect(await failure(use("bomb.png"))).toMatchObject({
      code: "file_too_large",
      message: expect.stringContaining("60,000"),
    });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });

  it("K02 pictures of a notebook come within the limits too; a damaged one is left out and named", async () => {
    const big = (await canvas(3000, 1500).png().toBuffer()).toString("base64");
    const picture = (data: string) => ({ output_type: "display_data", metadata: {}, data: { "image/png": data } });
    const outputs = [picture("AAAA"), picture(big)];
    const cell = { cell_type: "code", id: "a", metadata: {}, execution_count: 1, source: "plot()", outputs };
    await put(
      "plots.ipynb",
      Buffer.from(JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 })),
    );
    const { output, text } = await use("plots.ipynb");
    expect(output.pictures).toMatchObject([{ width: 2000, height: 1000, mediaType: "image/png" }]);
    expect(text).toContain("[Left out as damaged: picture 1. The others follow in order.]");
  });
});
