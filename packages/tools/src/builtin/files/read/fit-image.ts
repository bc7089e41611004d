import { fail, grouped } from "@haft/core/tool";
import { MAX_IMAGE_BYTES, MAX_IMAGE_SIDE } from "../../support/image.ts";
import type { ImageSize } from "../../support/image-size.ts";

/** Maximum pixels to decode: a file of a few bytes can claim any number. */
const MAX_PIXELS = 100_000_000;
/** Timeout for one image. */
const MAX_SECONDS = 20;
/** The steps to try until the image has few enough bytes: the longest side, and the JPEG quality. */
const ladder = [
  { side: MAX_IMAGE_SIDE, quality: 85 },
  { side: 1568, quality: 80 },
  { side: 1200, quality: 70 },
  { side: 800, quality: 60 },
] as const;

/** An image within provider limits. */
interface FittedImage extends ImageSize {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Differences from the file, in words for the model. */
  readonly changes: readonly string[];
}

/**
 * Decodes an image and fits it to the limits: upright, first picture only, not too many pixels and bytes. An image that
 * already fits keeps its bytes. A broken image is refused here: in a conversation it would break every later request.
 * Returns undefined if the decoder is not installed.
 */
export async function fitImage(
  path: string,
  bytes: Uint8Array,
  mediaType: string,
  size: ImageSize,
): Promise<FittedImage | undefined> {
  if (size.width * size.height > MAX_PIXELS)
    fail(
      "file_too_large",
      `The image ${path} would decode to ${grouped(size.width)} × ${grouped(size.height)} pixels.`,
      `At most ${grouped(MAX_PIXELS)} are decoded. Use a smaller copy.`,
    );
  const sharp = await import("sharp").then(
    (module) => module.default,
    () => undefined,
  );
  if (!sharp) return undefined;
  const open = () =>
    sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error", sequentialRead: true }).timeout({
      seconds: MAX_SECONDS,
    });
  try {
    const { orientation = 1, pages = 1, hasAlpha = false, space } = await open().metadata();
    const isPrint = space === "cmyk";
    const isLarge = Math.max(size.width, size.height) > MAX_IMAGE_SIDE || bytes.length > MAX_IMAGE_BYTES;
    if (orientation === 1 && pages === 1 && !isLarge && !isPrint) {
      await open().stats();
      return { bytes, mediaType, ...size, changes: [] };
    }
    const changes = [
      ...(isLarge ? [`made smaller from ${size.width} × ${size.height}`] : []),
      ...(orientation === 1 ? [] : ["turned upright"]),
      // Print colours: viewers without support show them inverted, or show nothing.
      ...(isPrint ? ["its colours made RGB"] : []),
      ...(pages === 1 ? [] : [`the first of ${pages} pictures of an animation`]),
    ];
    for (const { side, quality } of ladder) {
      const upright = open()
        .autoOrient()
        .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true });
      for (const format of formatsFor(mediaType, hasAlpha)) {
        const { data, info } = await encoded(upright.clone(), format, quality);
        if (data.length > MAX_IMAGE_BYTES) continue;
        const { width, height } = info;
        return { bytes: data, mediaType: `image/${format}`, width, height, changes };
      }
    }
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split("\n", 1)[0] : String(thrown);
    return fail("binary_file", `The image ${path} is damaged: ${why}`, "Recreate it, or use another one.");
  }
  return fail("file_too_large", `The image ${path} is too large even at 800 pixels.`, "Use a simpler or smaller copy.");
}

type Format = "png" | "jpeg" | "webp";

/** The formats to try, the image's own first: drawings stay sharp as PNG, photographs become small as JPEG. */
function formatsFor(mediaType: string, hasAlpha: boolean): readonly Format[] {
  if (mediaType === "image/jpeg") return ["jpeg"];
  if (mediaType === "image/webp") return ["webp"];
  return hasAlpha ? ["png", "webp"] : ["png", "jpeg"];
}

function encoded(image: import("sharp").Sharp, format: Format, quality: number) {
  const options = format === "png" ? { compressionLevel: 9 } : { quality };
  return image.toFormat(format, options).toBuffer({ resolveWithObject: true });
}
