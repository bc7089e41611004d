import { type Content, contentsText, errorText, type Result } from "../tool/index.ts";
import { modelContent } from "./model-content.ts";
import { isImageType, NO_OUTPUT, PDF, unwrapResource } from "./result-media.ts";

/** A picture or a PDF of a result. */
export interface ResultFile {
  readonly type: "image" | "document";
  readonly data: string;
  readonly mediaType: string;
  readonly name?: string;
}

/** A part of a result: text, or a file that providers take. Anything else has become text. */
export type ResultPart = { readonly type: "text"; readonly text: string } | ResultFile;

/** A result as text and files, in order; never empty. */
export function resultParts(result: Result): readonly ResultPart[] {
  const parts: ResultPart[] = [];
  let texts: Content[] = [];
  const flush = (): void => {
    const text = contentsText(texts);
    if (text !== "") parts.push({ type: "text", text });
    texts = [];
  };
  for (const content of modelContent(result).map(unwrapResource)) {
    const file = fileOf(content);
    if (!file) {
      texts.push(content);
      continue;
    }
    flush();
    parts.push(file);
  }
  flush();
  if (parts.length === 0) parts.push({ type: "text", text: result.error ? errorText(result.error) : NO_OUTPUT });
  return parts;
}

/** Whether a part is a file. */
export const isFile = (part: ResultPart): part is ResultFile => part.type !== "text";

/** A file as a `data:` URL. */
export const dataUrl = ({ mediaType, data }: ResultFile): string => `data:${mediaType};base64,${data}`;

function fileOf(content: Content): ResultFile | undefined {
  if (content.type === "image" && isImageType(content.mediaType))
    return { type: "image", data: content.data, mediaType: content.mediaType };
  if (content.type !== "document" || content.mediaType !== PDF) return undefined;
  return { type: "document", data: content.data, mediaType: PDF, ...(content.name ? { name: content.name } : {}) };
}
