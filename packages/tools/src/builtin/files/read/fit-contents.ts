import { type Content, HaftError, text } from "@haft/core/tool";
import { imageType } from "../../support/image.ts";
import { shownImage } from "./image.ts";

/**
 * What somebody else's tool answers, with its images as `Read` shows those of files: upright, within what providers
 * take, by their bytes and not by the type that was claimed. One that cannot be shown is left out with the reason, for
 * in a conversation it would break every request from then on.
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
  if (!mediaType) return [text("[An image was left out: its bytes are of no kind of image that models take.]")];
  try {
    const { image, changes } = await shownImage("in this answer", bytes, mediaType);
    const shown: Content = { type: "image", data: image.data, mediaType: image.mediaType };
    return changes.length > 0 ? [shown, text(`[The image was changed: ${changes.join(", ")}.]`)] : [shown];
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    return [text(`[An image was left out. ${thrown.message}]`)];
  }
}
