import { type Content, grouped, type Result, text } from "../tool/index.ts";
import type { Spill } from "./budget.ts";

/** Limit in base64 characters for pictures, sounds and documents in all results of one model message: what one request can carry. */
export const MEDIA_CHARS = 15_000_000;

/** Characters of text that one picture counts for, which is what models count for a large one. */
export const PICTURE_CHARS = 6_000;

/** Base64 characters of a part; 0 for text. */
function mediaSize(item: Content): number {
  if (item.type === "image" || item.type === "audio" || item.type === "document") return item.data.length;
  return item.type === "resource" ? (item.blob?.length ?? 0) : 0;
}

/** Base64 characters of all parts of a result that are not text. */
export const mediaLength = (content: readonly Content[]): number =>
  content.reduce((sum, item) => sum + mediaSize(item), 0);

/** Number of parts of a result that are not text. */
export const mediaCount = (content: readonly Content[]): number => content.filter((item) => mediaSize(item) > 0).length;

/** Keeps the pictures, sounds and documents that fit; replaces each of the others with its location. */
export async function fitMedia(result: Result, room: number, callId: string, spill?: Spill): Promise<Result> {
  if (mediaLength(result.content) <= room) return result;
  const content: Content[] = [];
  let left = room;
  for (const item of result.content) {
    const size = mediaSize(item);
    if (size <= left) {
      content.push(item);
      left -= size;
    } else content.push(text(await leftOut(item, size, callId, spill)));
  }
  return { ...result, content };
}

async function leftOut(item: Content, size: number, callId: string, spill: Spill | undefined): Promise<string> {
  const type = ("mediaType" in item && item.mediaType) || item.type;
  const what = `[${type}, ${grouped(Math.floor((size * 3) / 4))} bytes, left out: the answer would be too large for one request.`;
  const own = "path" in item ? item.path : undefined;
  const path = own ?? (await keep(item, callId, spill));
  return path === undefined ? `${what} It was not saved.]` : `${what} It is in ${path}; read it in another call.]`;
}

async function keep(item: Content, callId: string, spill: Spill | undefined): Promise<string | undefined> {
  const data = "data" in item ? item.data : "blob" in item ? item.blob : undefined;
  const mediaType = "mediaType" in item ? item.mediaType : undefined;
  if (data === undefined) return undefined;
  return spill?.writeMedia?.(callId, data, mediaType ?? "application/octet-stream").catch(() => undefined);
}
