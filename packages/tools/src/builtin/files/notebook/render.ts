import { grouped } from "@haft/core/tool";
import { type Cell, type Notebook, sourceOf } from "./notebook.ts";

/** A notebook as the model reads it. */
interface RenderedNotebook {
  readonly text: string;
  /** Pictures among the outputs, in order; the text says where each belongs. */
  readonly images: readonly { readonly data: string; readonly mediaType: string }[];
  /** Number of cells in the text. */
  readonly shown: number;
  /** Numbers, from 0, of the cells with a cut source or output. */
  readonly cut: readonly number[];
}

interface RenderLimits {
  /** Number of the first cell, from 0. */
  readonly first: number;
  /** Maximum cells. */
  readonly cells: number;
  /** Maximum characters; at least one cell is always returned. */
  readonly chars: number;
  /** Maximum characters of one cell's source or one output; a longer one is cut to its beginning. */
  readonly partChars: number;
  readonly images: number;
  /** Maximum base64 characters of one picture. */
  readonly imageChars: number;
}

/** Cells with their numbers, identifiers and outputs. */
export function renderNotebook({ cells, language }: Notebook, limits: RenderLimits): RenderedNotebook {
  const parts: string[] = [];
  const images: Page["images"] = [];
  const cut = new Set<number>();
  let chars = 0;
  for (const [offset, cell] of cells.slice(limits.first, limits.first + limits.cells).entries()) {
    const before = images.length;
    const number = limits.first + offset;
    const part = renderCell(cell, number, language, { limits, images, onCut: () => cut.add(number) });
    chars += part.length;
    if (parts.length > 0 && chars > limits.chars) {
      images.length = before;
      break;
    }
    parts.push(part);
  }
  const isShown = (number: number) => number < limits.first + parts.length;
  return { text: parts.join("\n"), images, shown: parts.length, cut: [...cut].filter(isShown) };
}

/** State shared by the parts of one page. */
interface Page {
  readonly limits: RenderLimits;
  readonly images: { readonly data: string; readonly mediaType: string }[];
  /** Called when a part was too long. */
  readonly onCut: () => void;
}

function renderCell(cell: Cell, index: number, language: string, page: Page): string {
  const attributes = [
    `number="${index}"`,
    `id="${cell.id ?? `cell-${index}`}"`,
    `type="${cell.cell_type}"`,
    ...(cell.cell_type === "code" ? [`language="${language}"`] : []),
    ...(typeof cell.execution_count === "number" ? [`execution_count="${cell.execution_count}"`] : []),
  ];
  const outputs = (cell.outputs ?? []).map((output) => renderOutput(output, page));
  return [`<cell ${attributes.join(" ")}>`, clipped(sourceOf(cell), page), "</cell>", ...outputs].join("\n");
}

function renderOutput(output: Readonly<Record<string, unknown>>, page: Page): string {
  const type = String(output.output_type);
  if (type === "error") {
    const trace = Array.isArray(output.traceback) ? output.traceback.join("\n") : `${output.ename}: ${output.evalue}`;
    return wrapped("error", withoutColours(trace), page);
  }
  if (type === "stream") return wrapped(String(output.name ?? "stdout"), withoutColours(joined(output.text)), page);
  const data = (output.data ?? {}) as Readonly<Record<string, unknown>>;
  const text = data["text/plain"] ?? data["text/markdown"] ?? data["text/html"] ?? data["application/json"];
  const shown = text === undefined ? [] : [wrapped("result", withoutColours(joined(text)), page)];
  const all = [...shown, ...pictures(data, page)];
  // Name the parts that models cannot see: an output that looks empty would mislead.
  const hidden = Object.keys(data).join(", ");
  if (all.length === 0 && hidden !== "") return `<output type="${type}">[not shown: ${hidden}]</output>`;
  return all.join("\n") || `<output type="${type}"></output>`;
}

function pictures(data: Readonly<Record<string, unknown>>, { limits, images }: Page): string[] {
  return Object.entries(data).flatMap(([mediaType, value]): string[] => {
    if (!/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return [];
    const base64 = joined(value).replace(/\s/g, "");
    if (images.length >= limits.images || base64.length > limits.imageChars)
      return [`<output type="${mediaType}">[left out: too many or too large pictures]</output>`];
    images.push({ data: base64, mediaType });
    return [`<output type="${mediaType}">[picture ${images.length} below]</output>`];
  });
}

const wrapped = (type: string, text: string, page: Page): string =>
  `<output type="${type}">\n${clipped(text, page)}\n</output>`;

const joined = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.join("") : JSON.stringify(value);

function clipped(text: string, { limits: { partChars }, onCut }: Page): string {
  const whole = text.replace(/\n$/, "");
  if (whole.length <= partChars) return whole;
  onCut();
  return `${whole.slice(0, partChars)}\n[${grouped(whole.length - partChars)} more characters]`;
}

/** Tracebacks and program output carry terminal colours. */
const withoutColours = (text: string): string => text.replace(COLOURS, "");
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminal colours begin with
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;
