import { type Files, fail, grouped, HaftError } from "@haft/core/tool";
import { imageType, MAGIC_BYTES, MAX_IMAGE_BYTES, MAX_IMAGE_SIDE } from "../../support/image.ts";
import { imageSize } from "../../support/image-size.ts";
import { fitImage } from "./fit-image.ts";
import type { ReadImage, ReadOutput } from "./output.ts";

/** Maximum bytes of an image file to load. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

const SMALLER = "Make a smaller copy with Bash (for example: convert IN -resize 1568x1568 OUT) and read that.";

/** A file that is not text may be an image; any other error is rethrown unchanged. */
export async function readImage(path: string, files: Files, thrown: unknown, signal: AbortSignal): Promise<ReadOutput> {
  if (!HaftError.is(thrown) || thrown.code !== "binary_file") throw thrown;
  const found = await files.stat((await files.locate(path)).path);
  if (found?.kind !== "file") throw thrown;
  const mediaType = imageType(await files.bytes(path, { end: MAGIC_BYTES }));
  if (!mediaType) throw thrown;
  if (found.size > MAX_FILE_BYTES)
    fail(
      "file_too_large",
      `The image ${path} has ${grouped(found.size)} bytes; at most ${grouped(MAX_FILE_BYTES)} are decoded.`,
      SMALLER,
    );
  const bytes = await files.bytes(path);
  signal.throwIfAborted();
  const { image, changes } = await shownImage(path, bytes, mediaType);
  const notice = `[Image ${path}: ${image.width} × ${image.height} pixels${changes.map((change) => `, ${change}`).join("")}.]`;
  return { path, lines: 0, first: 1, text: "", truncated: false, notice, image };
}

/** An image that can be given to a model, and its differences from the bytes. Refused if it cannot be fitted. */
export async function shownImage(
  path: string,
  bytes: Uint8Array,
  mediaType: string,
): Promise<{ readonly image: ReadImage; readonly changes: readonly string[] }> {
  const size = imageSize(bytes, mediaType);
  if (!size)
    return fail("binary_file", `The image ${path} is damaged: it has no size.`, "Recreate it, or use another one.");
  const fitted = await fitImage(path, bytes, mediaType, size);
  if (!fitted) checkLimits(path, bytes, size);
  const { changes, ...shown } = fitted ?? { bytes, mediaType, ...size, changes: [] };
  return { image: { ...shown, data: toBase64(shown.bytes), bytes: shown.bytes.length }, changes };
}

/** If nothing can shrink an image, refuse one that is too large: a provider would refuse the whole request. */
function checkLimits(path: string, bytes: Uint8Array, { width, height }: { width: number; height: number }): void {
  const cure = `${SMALLER} With the package sharp installed, Read does that itself.`;
  if (bytes.length > MAX_IMAGE_BYTES)
    fail(
      "file_too_large",
      `The image ${path} has ${grouped(bytes.length)} bytes; models take at most ${grouped(MAX_IMAGE_BYTES)}.`,
      cure,
    );
  if (Math.max(width, height) > MAX_IMAGE_SIDE)
    fail(
      "file_too_large",
      `The image ${path} has ${width} × ${height} pixels; models take at most ${MAX_IMAGE_SIDE} a side.`,
      cure,
    );
}

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
