import { cappedText, plainText } from "./plain-text.ts";

/** A resource as its server names it, or a resource template, made safe to show. */
export interface ResourceEntry {
  /** The server's own address for it, exactly. */
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

/** Most characters of a server's texts about a resource, and of its address. */
const NAME_CHARS = 200;
const DESCRIPTION_CHARS = 500;
const TYPE_CHARS = 120;
const URI_CHARS = 8_192;

/** Haft's own addresses. A server's resource with such an address would look like ours. */
const OURS = /^haft:/i;

/**
 * Reads an entry of a server's list of resources or templates. `undefined`: its address is partly invisible, has more than one line, is too
 * long, or imitates Haft's own.
 */
export function readResourceEntry(about: {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
}): ResourceEntry | undefined {
  const { uri, name, title, description, mimeType, size } = about;
  const isPlain = uri !== "" && uri.length <= URI_CHARS && !/\s/.test(uri) && plainText(uri) === uri;
  if (!isPlain || OURS.test(uri)) return undefined;
  return {
    uri,
    name: oneLine(name, NAME_CHARS),
    ...(title === undefined ? {} : { title: oneLine(title, NAME_CHARS) }),
    ...(description === undefined ? {} : { description: cappedText(description, DESCRIPTION_CHARS) }),
    ...(mimeType === undefined ? {} : { mimeType: oneLine(mimeType, TYPE_CHARS) }),
    ...(size === undefined ? {} : { size }),
  };
}

const oneLine = (text: string, most: number): string => cappedText(text, most).replaceAll(/\s+/g, " ");
