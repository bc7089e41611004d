import type { Content } from "../tool/index.ts";

/** Image formats that all providers take. Anything else goes as a line of text. */
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** A media type that every provider takes as a picture. */
export type ImageType = (typeof imageTypes)[number];

/** Whether every provider takes this media type as a picture. */
export const isImageType = (mediaType: string): mediaType is ImageType => imageTypes.some((type) => type === mediaType);

/** The media type that goes as a document. */
export const PDF = "application/pdf";

/** What is said where a tool had nothing to say: some providers refuse an empty result. */
export const NO_OUTPUT = "(no output)";

/** A resource that is really an image or a PDF, as that; anything else as it is. */
export function unwrapResource(content: Content): Content {
  if (content.type !== "resource" || content.blob === undefined || content.mediaType === undefined) return content;
  const { blob: data, mediaType, uri } = content;
  if (isImageType(mediaType)) return { type: "image", data, mediaType };
  if (mediaType === PDF) return { type: "document", data, mediaType, name: uri };
  return content;
}
