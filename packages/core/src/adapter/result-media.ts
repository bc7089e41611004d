import type { Content } from "../tool/index.ts";

/** Image formats that all providers accept. Anything else becomes a line of text. */
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** A media type that every provider accepts as a picture. */
export type ImageType = (typeof imageTypes)[number];

/** Whether every provider accepts this media type as a picture. */
export const isImageType = (mediaType: string): mediaType is ImageType => imageTypes.some((type) => type === mediaType);

/** The media type that is sent as a document. */
export const PDF = "application/pdf";

/** The text for an empty result, which some providers refuse. */
export const NO_OUTPUT = "(no output)";

/** Converts a resource that is really an image or a PDF to that; leaves anything else unchanged. */
export function unwrapResource(content: Content): Content {
  if (content.type !== "resource" || content.blob === undefined || content.mediaType === undefined) return content;
  const { blob: data, mediaType, uri } = content;
  if (isImageType(mediaType)) return { type: "image", data, mediaType };
  if (mediaType === PDF) return { type: "document", data, mediaType, name: uri };
  return content;
}
