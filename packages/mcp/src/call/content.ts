import { isDeepStrictEqual } from "node:util";
import { type Content, contentsText, counted, type Display, text } from "@haft/core/tool";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { readResourceEntry } from "../definition/resource.ts";

/** The result of a remote tool. */
export interface McpOutput {
  readonly content: readonly Content[];
  /** The answer as data, if the tool gives it. */
  readonly structured?: unknown;
}

/** Converts a server's answer to our own blocks. An answer given as both text and data appears once. */
export function outputOf(result: CallToolResult): McpOutput {
  const content = (result.content ?? []).map(contentOf);
  const structured: unknown = result.structuredContent;
  if (structured === undefined) return { content };
  const isSaid = content.some((block) => block.type === "text" && says(block.text, structured));
  return { content: isSaid ? content : [...content, { type: "json", value: structured }], structured };
}

/** Whether there are pictures to check before the result is passed on, which takes more than a moment. */
export const hasPictures = (contents: readonly Content[]): boolean => contents.some(({ type }) => type === "image");

/** Checks pictures before they are passed on: a picture that a provider refuses would break every later request. */
export async function fitted(contents: readonly Content[]): Promise<readonly Content[]> {
  const { fitContents } = await import("@haft/tools/fit-contents");
  return fitContents(contents);
}

/** The most of a result that people see. The result itself has all of it. */
const SHOWN_CHARS = 20_000;
const SHOWN_IMAGES = 4;

/** A result as people see it: its images, and everything else as the output of a program. `alt`: words for an image. */
export function contentDisplay(contents: readonly Content[], alt: string): Display {
  const images = contents.flatMap((block): Display[] =>
    block.type === "image" ? [{ kind: "image", data: block.data, mediaType: block.mediaType, alt }] : [],
  );
  const words = contentsText(contents.filter(({ type }) => type !== "image"));
  const hidden = words.length - SHOWN_CHARS;
  const shown = hidden > 0 ? `${words.slice(0, SHOWN_CHARS).toWellFormed()}\n… ${hidden} more characters` : words;
  const parts: readonly Display[] = [
    ...images.slice(0, SHOWN_IMAGES),
    ...(words.trim() === "" ? [] : [{ kind: "terminal", text: shown } as const]),
  ];
  if (parts.length > 1) return { kind: "group", title: counted(images.length, "image"), items: parts };
  return parts[0] ?? { kind: "text", text: "" };
}

/** Converts one block of a server. A block of unknown kind is kept as data. */
export function contentOf(block: ContentBlock): Content {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
    case "audio":
      return isBase64(block.data)
        ? { type: block.type, data: block.data, mediaType: block.mimeType }
        : text(`[${block.type} of the type ${block.mimeType} that cannot be decoded]`);
    case "resource":
      return resourceOf(block.resource);
    case "resource_link":
      return linkOf(block);
    default:
      return { type: "json", value: block };
  }
}

/** A resource link. An address that cannot be shown unchanged appears only in text. */
function linkOf(block: ResourceLinkBlock): Content {
  const about = [block.title ?? block.name, block.description].filter((part) => part).join(": ");
  const said = {
    type: "resource",
    uri: block.uri,
    text: `[${about || "resource"}, not read yet: ${block.uri}]`,
  } as const;
  const entry = readResourceEntry(block);
  if (!entry) return { ...said, ...(block.mimeType === undefined ? {} : { mediaType: block.mimeType }) };
  const { uri: _, mimeType, ...link } = entry;
  return { ...said, ...(mimeType === undefined ? {} : { mediaType: mimeType }), link };
}

type ResourceLinkBlock = Extract<ContentBlock, { readonly type: "resource_link" }>;

/** The contents of a resource; pictures and sound keep their kind. */
export function resourceOf(resource: {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
}): Content {
  const { uri, mimeType } = resource;
  const mediaType = mimeType === undefined ? {} : { mediaType: mimeType };
  if (typeof resource.text === "string") return { type: "resource", uri, ...mediaType, text: resource.text };
  if (typeof resource.blob !== "string" || !isBase64(resource.blob))
    return { type: "resource", uri, ...mediaType, text: `[${uri} has no content that can be read]` };
  const kind = /^(image|audio)\//.exec(mimeType ?? "")?.[1];
  if (kind === "image" || kind === "audio") return { type: kind, data: resource.blob, mediaType: mimeType! };
  return { type: "resource", uri, ...mediaType, blob: resource.blob };
}

function says(said: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(said), structured);
  } catch {
    return false;
  }
}

/** Checks only the ends: a picture may have many megabytes, and the provider checks its middle. */
const isBase64 = (data: string): boolean =>
  data.length % 4 === 0 &&
  /^[A-Za-z0-9+/=]*$/.test(data.slice(0, 1024)) &&
  /^[A-Za-z0-9+/]*={0,2}$/.test(data.slice(-64));
