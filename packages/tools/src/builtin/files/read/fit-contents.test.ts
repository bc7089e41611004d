import { type Content, contentsText, text } from "@haft/core/tool";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { fitContents } from "./fit-contents.ts";

const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 20, g: 30, b: 200 } } });
const image = (bytes: Uint8Array, mediaType = "image/png"): Content => ({
  type: "image",
  data: Buffer.from(bytes).toString("base64"),
  mediaType,
});
const sizeOf = async (content: Content | undefined) => {
  if (content?.type !== "image") throw new Error(`expected an image, got ${content?.type}`);
  const { width, height } = await sharp(Buffer.from(content.data, "base64")).metadata();
  return [width, height];
};

describe("the images of somebody else's answer", () => {
  it("H03 text, and an image within the limits, stay as they are, in their order", async () => {
    const small = image(await canvas(30, 20).png().toBuffer());
    const contents = [text("one"), small, text("two")];
    expect(await fitContents(contents)).toEqual(contents);
  });

  it("H03 a large one is made smaller, and that is said", async () => {
    const [shown, note] = await fitContents([image(await canvas(4000, 1000).png().toBuffer())]);
    expect(await sizeOf(shown)).toEqual([2000, 500]);
    expect(note).toEqual(text("[The image was changed: made smaller from 4000 × 1000.]"));
  });

  it("H03 the type is that of the bytes, regardless of the claimed one", async () => {
    const jpeg = await canvas(30, 20).jpeg().toBuffer();
    expect(await fitContents([image(jpeg, "image/png")])).toEqual([image(jpeg, "image/jpeg")]);
  });

  it("H03 one that cannot be shown is left out with the reason, the rest stays", async () => {
    const whole = await canvas(900, 900).png().toBuffer();
    const broken = [
      image(whole.subarray(0, whole.length / 2)),
      image(Buffer.from("<svg/>"), "image/svg+xml"),
      image(new Uint8Array()),
      image(bomb()),
    ];
    const fitted = await fitContents([...broken, text("the rest")]);
    expect(fitted.every(({ type }) => type === "text")).toBe(true);
    expect(fitted).toHaveLength(5);
    expect(contentsText(fitted)).toMatch(
      /is damaged[\s\S]*do not support its format[\s\S]*30,000 × 30,000[\s\S]*the rest/,
    );
  });
});

/** The head of a picture that claims to be enormous. */
function bomb(): Buffer {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452000075300000753008060000000000000000", "hex");
  return Buffer.concat([head, Buffer.alloc(64)]);
}
