/** Bytes of a page that may declare its encoding. */
const PRESCAN_BYTES = 4096;

/** The media type of a response. */
export interface MediaType {
  /** `text/html`, in lower case; empty if the response does not say. */
  readonly type: string;
  readonly charset?: string;
}

/** Parses a `content-type` header. */
export function mediaTypeOf(header: string | null): MediaType {
  const [type = "", ...parameters] = (header ?? "").split(";");
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s;]+)/i.exec(one)?.[1]).find((found) => found);
  return { type: type.trim().toLowerCase(), ...(charset === undefined ? {} : { charset }) };
}

/** The encoding that the byte order mark, the header, or else the page itself declares. */
export const encodingOf = (bytes: Uint8Array, charset: string | undefined): string | undefined =>
  markOf(bytes) ?? knownLabel(charset) ?? knownLabel(saidInside(bytes));

/**
 * Decodes text as declared. Servers often declare UTF-8 or windows-1252 and send the other one, so the bytes decide between these
 * two: as UTF-8 if they fit, else as windows-1252, in which every byte is a character.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const named = encodingOf(bytes, charset);
  if (named && named !== "utf-8" && named !== "windows-1252") return new TextDecoder(named).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const text = named === "utf-8" ? new TextDecoder().decode(bytes) : "";
    // UTF-8 with a few faulty bytes has other characters that fit.
    return /[^\p{ASCII}\ufffd]/u.test(text) ? text : new TextDecoder("windows-1252").decode(bytes);
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

/** A `meta` element or an XML declaration. */
function saidInside(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN_BYTES));
  const found =
    /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1];
  // A page that declares UTF-16 in one-byte letters is not UTF-16.
  return found !== undefined && /^utf-?16/i.test(found) ? "utf-8" : found;
}

function knownLabel(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const TEXTUAL =
  /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|toml|javascript|ecmascript|typescript|sql|graphql)|x-(?:sh|ndjson|httpd-php|www-form-urlencoded))|image\/svg\+xml)/;

/** Whether content of a type is text. */
export const isTextual = (type: string): boolean => TEXTUAL.test(type);

/** The type from the first bytes, for responses that give no type, or only generic bytes. */
export function sniff(bytes: Uint8Array): string {
  const mark = markOf(bytes);
  const start = new TextDecoder(mark ?? "latin1").decode(bytes.subarray(0, 512));
  if (start.startsWith("%PDF-")) return "application/pdf";
  if (/^\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(start)) return "text/html";
  return mark === undefined && bytes.subarray(0, 8192).includes(0) ? "application/octet-stream" : "text/plain";
}
