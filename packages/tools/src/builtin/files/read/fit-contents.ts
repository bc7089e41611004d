import { type Content, HaftError, text } from "@haft/core/tool";
import { imageType } from "../../support/image.ts";
import { shownImage } from "./image.ts";

/**
 * Fits the images in the result of an external tool as `Read` does for files: upright, within provider limits. The
 * bytes decide the type, not the claimed media type. An image that cannot be shown is replaced by the reason: in a
 * conversation it would break every later request.
 */
export async function fitContents(contents: readonly Content[]): Promise<Content[]> {
  const fitted: Content[] = [];
  // One after the other: decoding takes memory.
  for (const content of contents) fitted.push(...(content.type === "image" ? await fitOne(content.data) : [content]));
  return fitted;
}

async function fitOne(data: string): Promise<Content[]> {
  const bytes = Buffer.from(data, "base64");
  const mediaType = imageType(bytes);
  if (!mediaType) return [text("[An image was left out: models do not support its format.]")];
  try {
    const { image, changes } = await shownImage("in this answer", bytes, mediaType);
    const shown: Content = { type: "image", data: image.data, mediaType: image.mediaType };
    return changes.length > 0 ? [shown, text(`[The image was changed: ${changes.join(", ")}.]`)] : [shown];
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return [text(`[An image was left out. ${thrown.message}]`)];
  }
}
