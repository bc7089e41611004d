import { type CallContext, fail, type TextPart, toJson } from "@haft/core/tool";
import { shownImage } from "../../files/read/image.ts";
import type { ReadImage } from "../../files/read/output.ts";
import { imageType } from "../../support/image.ts";
import { decodeText, encodingOf, isTextual, type MediaType, mediaTypeOf, sniff } from "./decode.ts";
import { type Answered, binary, empty, problemOfPage } from "./outcome.ts";

/** Maximum characters to read of a PDF. */
const PDF_CHARS = 2_000_000;
const PDF_PAGES = 1000;

/** The content of an address, as text or as an image. */
export interface Readable {
  readonly mediaType: string;
  readonly title?: string;
  /** The part of the text that was asked for. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly total: number;
  readonly image?: ReadImage;
  /** A note for the reader of the text. */
  readonly notice?: string;
}

/** Reads a part of the body of a response according to its type. */
export async function readAnswer(
  answer: Answered,
  bytes: Uint8Array<ArrayBuffer>,
  part: TextPart,
  ctx: CallContext,
): Promise<Readable> {
  const said = mediaTypeOf(answer.headers.get("content-type"));
  const isVague = said.type === "" || said.type === "application/octet-stream" || said.type === "text/plain";
  const type = isVague ? sniffed(bytes, said) : said.type;
  const image = imageType(bytes);
  if (image && !isTextual(type)) return readImage(answer, bytes, image);
  if (type === "application/pdf") return readPdf(answer, bytes, part, ctx);
  if (type === "text/html" || type === "application/xhtml+xml") return readPage(answer, bytes, said, part, ctx);
  if (!isTextual(type)) throw binary(answer, type);
  const text = decodeText(bytes, said.charset);
  if (text.trim() === "") throw empty(answer);
  return { mediaType: type, ...partOf(/json$/.test(type) ? indented(text) : text, part) };
}

/** A part without the whole: a slice of a string keeps all of it in memory, for as long as the result lives. */
const partOf = (whole: string, { from, chars }: TextPart): Pick<Readable, "text" | "total"> => ({
  text: Buffer.from(whole.slice(from, from + chars), "utf16le").toString("utf16le"),
  total: whole.length,
});

/** Browsers do not show `text/plain` as HTML either; only responses without a type are checked for HTML. */
const sniffed = (bytes: Uint8Array, said: MediaType): string => {
  const found = sniff(bytes);
  return said.type === "text/plain" && found === "text/html" ? said.type : found;
};

async function readPage(
  answer: Answered,
  bytes: Uint8Array<ArrayBuffer>,
  said: MediaType,
  part: TextPart,
  { ports, signal }: CallContext,
): Promise<Readable> {
  const { documents } = ports;
  if (!documents)
    return fail("tool_unavailable", "This host cannot read web pages.", "Fetch it with Bash: curl -L ADDRESS");
  const encoding = encodingOf(bytes, said.charset);
  const page = await documents.page(bytes, {
    url: answer.url,
    signal,
    part,
    ...(encoding === undefined ? {} : { encoding }),
  });
  const problem = problemOfPage(answer, page, ports.browser !== undefined);
  if (problem) throw problem;
  const { title, text, total, facts } = page;
  return {
    mediaType: "text/html",
    ...(title ? { title } : {}),
    text,
    total,
    ...(facts.isPaid ? { notice: "Parts of the page are for subscribers only: the text may be incomplete." } : {}),
  };
}

async function readPdf(
  { url }: Answered,
  bytes: Uint8Array,
  part: TextPart,
  { signal }: CallContext,
): Promise<Readable> {
  const { extractPages } = await import("../../files/read/pdf/extract.ts");
  const { total, pages } = await extractPages(url, bytes, { first: 1, last: PDF_PAGES, chars: PDF_CHARS, signal });
  const text = pages.map((page) => `--- page ${page.number} of ${total} ---\n${page.text.trimEnd()}`).join("\n");
  const isBlank = pages.every((page) => page.text.trim() === "");
  return {
    mediaType: "application/pdf",
    ...partOf(text, part),
    ...(isBlank
      ? {
          notice:
            "The PDF has pictures but no text. Download it with Bash (curl -L -o FILE ADDRESS) to look at its pages.",
        }
      : {}),
  };
}

async function readImage({ url }: Answered, bytes: Uint8Array, mediaType: string): Promise<Readable> {
  const { image } = await shownImage(url, bytes, mediaType);
  return { mediaType: image.mediaType, text: "", total: 0, image };
}

/** Numbers that a parser rounds: of 16 digits or more, or with a large exponent. */
const ROUNDED = /\d{16}|[\d.]{17}|\de[+-]?\d{3}/i;

function indented(text: string): string {
  if (ROUNDED.test(text)) return text;
  try {
    return toJson(JSON.parse(text));
  } catch {
    return text;
  }
}
