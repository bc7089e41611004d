import { type Files, fail, grouped, HaftError } from "@haft/core/tool";
import { imageType, MAGIC_BYTES, MAX_IMAGE_BYTES, MAX_IMAGE_SIDE } from "../../support/image.ts";
import { imageSize } from "../../support/image-size.ts";
import type { ReadOutput } from "./output.ts";

const SMALLER = "Make a smaller copy with Bash (for example: convert IN -resize 1568x1568 OUT) and read that.";

/** What was no text may be an image; everything else stays the error that it was. */
export async function readImage(path: string, files: Files, thrown: unknown): Promise<ReadOutput> {
  if (!HaftError.is(thrown) || thrown.code !== "binary_file") throw thrown;
  const found = await files.stat((await files.locate(path)).path);
  if (found?.kind !== "file") throw thrown;
  const mediaType = imageType(await files.bytes(path, { end: MAGIC_BYTES }));
  if (!mediaType) throw thrown;
  if (found.size > MAX_IMAGE_BYTES)
    fail(
      "file_too_large",
      `The image ${path} has ${grouped(found.size)} bytes; models take at most ${grouped(MAX_IMAGE_BYTES)}.`,
      SMALLER,
    );
  const bytes = await files.bytes(path);
  const size = imageSize(bytes, mediaType);
  if (!size)
    return fail("binary_file", `The image ${path} is damaged: it has no size.`, "Make it anew, or use another one.");
  if (Math.max(size.width, size.height) > MAX_IMAGE_SIDE)
    fail(
      "file_too_large",
      `The image ${path} has ${size.width} × ${size.height} pixels; models take at most ${MAX_IMAGE_SIDE} a side.`,
      SMALLER,
    );
  const image = { data: toBase64(bytes), mediaType, bytes: bytes.length };
  return { path, lines: 0, first: 1, text: "", truncated: false, image };
}

/** In pieces, because a call takes only so many arguments. */
function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
