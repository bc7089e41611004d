import { grouped } from "@haft/core/tool";
import { type Cell, type Notebook, sourceOf } from "./notebook.ts";

/** A notebook as the model reads it. */
export interface RenderedNotebook {
  readonly text: string;
  /** Pictures among the outputs, in order; the text says where each belongs. */
  readonly images: readonly { readonly data: string; readonly mediaType: string }[];
  /** How many cells are in the text. */
  readonly shown: number;
}

export interface RenderLimits {
  /** Number of the first cell, from 0. */
  readonly first: number;
  /** Most cells. */
  readonly cells: number;
  /** Most characters; at least one cell is always given. */
  readonly chars: number;
  /** Most characters of one cell's source or one output; of a longer one the beginning is given. */
  readonly partChars: number;
  readonly images: number;
  /** Most base64 characters of one picture. */
  readonly imageChars: number;
}

/** Cells with their numbers, identifiers and outputs. */
export function renderNotebook({ cells, language }: Notebook, limits: RenderLimits): RenderedNotebook {
  const parts: string[] = [];
  const images: { data: string; mediaType: string }[] = [];
  let chars = 0;
  for (const [offset, cell] of cells.slice(limits.first, limits.first + limits.cells).entries()) {
    const before = images.length;
    const part = renderCell(cell, limits.first + offset, language, limits, images);
    chars += part.length;
    if (parts.length > 0 && chars > limits.chars) {
      images.length = before;
      break;
    }
    parts.push(part);
  }
  return { text: parts.join("\n"), images, shown: parts.length };
}

type Images = { data: string; mediaType: string }[];

function renderCell(cell: Cell, index: number, language: string, limits: RenderLimits, images: Images): string {
  const attributes = [
    `number="${index}"`,
    `id="${cell.id ?? `cell-${index}`}"`,
    `type="${cell.cell_type}"`,
    ...(cell.cell_type === "code" ? [`language="${language}"`] : []),
    ...(typeof cell.execution_count === "number" ? [`execution_count="${cell.execution_count}"`] : []),
  ];
  const outputs = (cell.outputs ?? []).map((output) => renderOutput(output, limits, images));
  return [`<cell ${attributes.join(" ")}>`, clipped(sourceOf(cell), limits), "</cell>", ...outputs].join("\n");
}

function renderOutput(output: Readonly<Record<string, unknown>>, limits: RenderLimits, images: Images): string {
  const type = String(output.output_type);
  if (type === "error") {
    const trace = Array.isArray(output.traceback) ? output.traceback.join("\n") : `${output.ename}: ${output.evalue}`;
    return wrapped("error", withoutColours(trace), limits);
  }
  if (type === "stream") return wrapped(String(output.name ?? "stdout"), withoutColours(joined(output.text)), limits);
  const data = (output.data ?? {}) as Readonly<Record<string, unknown>>;
  const text = data["text/plain"] ?? data["text/markdown"] ?? data["text/html"] ?? data["application/json"];
  const shown = text === undefined ? [] : [wrapped("result", withoutColours(joined(text)), limits)];
  const all = [...shown, ...pictures(data, limits, images)];
  // What no model is shown is named all the same: an output that looks empty would mislead.
  const hidden = Object.keys(data).join(", ");
  if (all.length === 0 && hidden !== "") return `<output type="${type}">[not shown: ${hidden}]</output>`;
  return all.join("\n") || `<output type="${type}"></output>`;
}

function pictures(data: Readonly<Record<string, unknown>>, limits: RenderLimits, images: Images): string[] {
  return Object.entries(data).flatMap(([mediaType, value]): string[] => {
    if (!/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return [];
    const base64 = joined(value).replace(/\s/g, "");
    if (images.length >= limits.images || base64.length > limits.imageChars)
      return [`<output type="${mediaType}">[left out: too many or too large pictures]</output>`];
    images.push({ data: base64, mediaType });
    return [`<output type="${mediaType}">[picture ${images.length} below]</output>`];
  });
}

const wrapped = (type: string, text: string, limits: RenderLimits): string =>
  `<output type="${type}">\n${clipped(text, limits)}\n</output>`;

const joined = (value: unknown): string =>
  typeof value === "string" ? value : Array.isArray(value) ? value.join("") : JSON.stringify(value);

function clipped(text: string, { partChars }: RenderLimits): string {
  const whole = text.replace(/\n$/, "");
  if (whole.length <= partChars) return whole;
  return `${whole.slice(0, partChars)}\n[${grouped(whole.length - partChars)} more characters]`;
}

/** Tracebacks and program output carry terminal colours. */
const withoutColours = (text: string): string => text.replace(COLOURS, "");
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminal colours begin with
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;
