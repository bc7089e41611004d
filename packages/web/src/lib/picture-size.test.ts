import fc from "fast-check";
import sharp from "sharp";
import { expect, it } from "vitest";
import { pixelsOf } from "./picture-size.ts";

const picture = (format: "png" | "jpeg" | "gif" | "webp", options = {}) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: "#176b57" } })
    .toFormat(format, options)
    .toBuffer();

it.each([
  ["png", {}],
  ["jpeg", {}],
  ["jpeg", { progressive: true }],
  ["gif", {}],
  ["webp", {}],
  ["webp", { lossless: true }],
] as const)("U14 the size of a picture is known before it is unpacked: %s %j", async (format, options) => {
  expect(pixelsOf(await picture(format, options))).toBe(60_000);
});

it("U14 a picture that claims to be huge is known as such, and no bytes are an error", async () => {
  const bomb = Buffer.from(await picture("png"));
  bomb.writeUInt32BE(100_000, 16);
  bomb.writeUInt32BE(100_000, 20);
  expect(pixelsOf(bomb)).toBe(10_000_000_000);
  expect(pixelsOf(Buffer.from("<svg/>"))).toBeUndefined();
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.constantFrom("\x89PNG", "GIF8", "\xff\xd8", "RIFF", ""),
      (rest, head) => {
        const pixels = pixelsOf(Buffer.concat([Buffer.from(head, "latin1"), rest]));
        expect(pixels === undefined || pixels >= 0).toBe(true);
      },
    ),
  );
});
