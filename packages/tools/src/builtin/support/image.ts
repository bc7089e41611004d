/** Maximum bytes of an image for a model: as base64 they are 5 MB, and providers refuse more. */
export const MAX_IMAGE_BYTES = (5 * 1024 * 1024 * 3) / 4;

/** Number of first bytes of a file by which `imageType` recognizes an image. */
export const MAGIC_BYTES = 12;

/** The media type of an image that models can see, from its first bytes; a file's name proves nothing. */
export function imageType(head: Uint8Array): string | undefined {
  const text = String.fromCharCode(...head.subarray(0, MAGIC_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  return undefined;
}

/**
 * Maximum pixels of a side: all providers accept it, even for many images in one request. More adds no detail for a
 * model.
 */
export const MAX_IMAGE_SIDE = 2000;
