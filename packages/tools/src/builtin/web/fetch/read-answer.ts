import { type CallContext, fail, toJson } from "@haft/core/tool";
import { shownImage } from "../../files/read/image.ts";
import type { ReadImage } from "../../files/read/output.ts";
import { imageType } from "../../support/image.ts";
import { decodeText, encodingOf, isTextual, type MediaType, mediaTypeOf, sniff } from "./decode.ts";
import { type Answered, binary, problemOfPage } from "./outcome.ts";

/** Maximum characters to read of a PDF. */
const PDF_CHARS = 2_000_000;
const PDF_PAGES = 1000;

/** The content of an address, as text or as an image. */
export interface Readable {
  readonly mediaType: string;
  readonly title?: string;
  readonly text: string;
  readonly image?: ReadImage;
  /** A note for the reader of the text. */
  readonly notice?: string;
}

/** Reads the body of a response according to its type. */
export async function readAnswer(
  answer: Answered,
  bytes: Uint8Array<ArrayBuffer>,
  ctx: CallContext,
): Promise<Readable> {
  const said = mediaTypeOf(answer.headers.get("content-type"));
  const isVague = said.type === "" || said.type === "application/octet-stream" || said.type === "text/plain";
  const type = isVague ? sniffed(bytes, said) : said.type;
  const image = imageType(bytes);
  if (image && !isTextual(type)) return readImage(answer, bytes, image);
  if (type === "application/pdf") return readPdf(answer, bytes, ctx);
  if (type === "text/html" || type === "application/xhtml+xml") return readPage(answer, bytes, said, ctx);
  if (!isTextual(type)) throw binary(answer, type);
  const text = decodeText(bytes, said.charset);
  return { mediaType: type, text: /json$/.test(type) ? indented(text) : text };
}

/** Browsers do not show `text/plain` as HTML either; only responses without a type are checked for HTML. */
const sniffed = (bytes: Uint8Array, said: MediaType): string => {
  const found = sniff(bytes);
  return said.type === "text/plain" && found === "text/html" ? said.type : found;
};

async function readPage(
  answer: Answered,
  bytes: Uint8Array<ArrayBuffer>,
  said: MediaType,
  { ports, signal }: CallContext,
): Promise<Readable> {
  const { documents } = ports;
  if (!documents)
    return fail("tool_unavailable", "This host cannot read web pages.", "Fetch it with Bash: curl -L ADDRESS");
  const encoding = encodingOf(bytes, said.charset);
  const page = await documents.page(bytes, {
    url: answer.url,
    signal,
    ...(encoding === undefined ? {} : { encoding }),
  });
  const problem = problemOfPage(answer, page, ports.browser !== undefined);
  if (problem) throw problem;
  const about = [page.author && `by ${page.author}`, page.published, page.site].filter(Boolean).join(", ");
  const { title, facts } = page;
  return {
    mediaType: "text/html",
    ...(title ? { title } : {}),
    text: [title && `# ${title}`, about && `*${about}*`, page.markdown.trim()].filter(Boolean).join("\n\n"),
    ...(facts.isPaid ? { notice: "Parts of the page are for subscribers only: the text may be incomplete." } : {}),
  };
}

async function readPdf({ url }: Answered, bytes: Uint8Array, { signal }: CallContext): Promise<Readable> {
  const { extractPages } = await import("../../files/read/pdf/extract.ts");
  const { total, pages } = await extractPages(url, bytes, { first: 1, last: PDF_PAGES, chars: PDF_CHARS, signal });
  const text = pages.map((page) => `--- page ${page.number} of ${total} ---\n${page.text.trimEnd()}`).join("\n");
  const isBlank = pages.every((page) => page.text.trim() === "");
  return {
    mediaType: "application/pdf",
    text,
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
  return { mediaType: image.mediaType, text: "", image };
}

function indented(text: string): string {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return text;
  }
}
