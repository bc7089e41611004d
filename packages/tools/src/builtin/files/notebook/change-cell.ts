import { memberOf, membersOf } from "./json-text.ts";
import { type Cell, type CellType, type Notebook, sourceOf } from "./notebook.ts";

/** The text of a notebook with a new source, and optionally a new type, for one cell. Empties its outputs. */
export function replaceCell(notebook: Notebook, index: number, source: string, type?: CellType): string {
  const { text, cells, spans } = notebook;
  const [cell, span] = [cells[index], spans[index]];
  if (!cell || !span) return text;
  const members = membersOf(text, span.start);
  const next = type ?? cell.cell_type;
  const style = styleOf(notebook);
  const values = new Map<string, unknown>([["source", likeSource(cell, source)]]);
  if (next === "code") values.set("outputs", []).set("execution_count", null);
  if (next !== cell.cell_type) values.set("cell_type", next);
  const dropped = next === cell.cell_type ? [] : next === "code" ? ["attachments"] : ["outputs", "execution_count"];
  const isSameShape =
    [...values.keys()].every((key) => memberOf(members, key)) && dropped.every((key) => !memberOf(members, key));
  if (isSameShape) {
    const edits = members.filter(({ key }) => values.has(key)).toSorted((a, b) => b.start - a.start);
    return edits.reduce(
      (whole, { key, start, end }) => splice(whole, start, end, style.json(values.get(key), 3)),
      text,
    );
  }
  const kept = new Map(members.map(({ key, start, end }) => [key, text.slice(start, end)]));
  for (const key of dropped) kept.delete(key);
  for (const [key, value] of values) kept.set(key, style.json(value, 3));
  const isSorted = members.every(({ key }, at) => at === 0 || (members[at - 1]?.key ?? "") <= key);
  const entries = isSorted ? [...kept].sort(([a], [b]) => (a < b ? -1 : 1)) : [...kept];
  return splice(text, span.start, span.end, style.object(entries, 2));
}

/** The text of a notebook with a new cell before the given index, or at the end. */
export function insertCell(notebook: Notebook, index: number, source: string, type: CellType, id: string): string {
  const { text, spans, list, hasIds, cells } = notebook;
  const style = styleOf(notebook);
  const like = cells[Math.max(index - 1, 0)] ?? { source: [] };
  const cell = {
    cell_type: type,
    ...(type === "code" ? { execution_count: null } : {}),
    ...(hasIds ? { id } : {}),
    metadata: {},
    ...(type === "code" ? { outputs: [] } : {}),
    source: likeSource(like, source),
  };
  const body = style.json(cell, 2);
  const first = spans[0];
  if (!first) return splice(text, list.start, list.end, `[${style.line(2)}${body}${style.line(1)}]`);
  const gap = text.slice(list.start + 1, first.start);
  const before = spans[index];
  if (before) return splice(text, before.start, before.start, `${body},${gap || style.line(2)}`);
  const last = spans.at(-1) ?? first;
  return splice(text, last.end, last.end, `,${gap}${body}`);
}

/** The text of a notebook without one cell. */
export function deleteCell({ text, spans, list }: Notebook, index: number): string {
  const [span, after, before] = [spans[index], spans[index + 1], spans[index - 1]];
  if (!span) return text;
  if (after) return splice(text, span.start, after.start, "");
  if (before) return splice(text, before.end, span.end, "");
  return splice(text, list.start, list.end, "[]");
}

const splice = (text: string, start: number, end: number, middle: string): string =>
  text.slice(0, start) + middle + text.slice(end);

/** The source in the form that the notebook uses: one text, or a list of lines with their ends. */
function likeSource({ source: old }: Pick<Cell, "source">, source: string): string | string[] {
  return typeof old === "string" ? source : (source.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

/** Whether the change would leave the cell unchanged. */
export const isSameCell = (cell: Cell | undefined, source: string, type: CellType | undefined): boolean =>
  cell !== undefined && sourceOf(cell) === source && (type === undefined || type === cell.cell_type);

interface Style {
  /** Formats a value at a nesting depth. */
  json(value: unknown, depth: number): string;
  /** Formats an object whose values are already formatted. */
  object(entries: readonly (readonly [key: string, json: string])[], depth: number): string;
  /** The text between a bracket and its first item at a depth. */
  line(depth: number): string;
}

/**
 * The notebook's layout, from its first indented line and its line ends; without indentation, everything is on one
 * line.
 */
function styleOf({ text }: Notebook): Style {
  const [, eol, unit] = /(\r?\n)([ \t]+)\S/.exec(text) ?? [];
  const line = (depth: number): string => (unit === undefined ? "" : `${eol}${unit.repeat(depth)}`);
  const space = /": /.test(text) ? " " : "";
  const json = (value: unknown, depth: number): string => {
    if (unit !== undefined) return JSON.stringify(value, null, unit).replaceAll("\n", line(depth));
    return space === "" ? JSON.stringify(value) : spaced(value);
  };
  return {
    json,
    line,
    object: (entries, depth) => {
      const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${space}${value}`);
      const comma = unit === undefined && space !== "" ? ", " : `,${line(depth + 1)}`;
      return `{${line(depth + 1)}${members.join(comma)}${line(depth)}}`;
    },
  };
}

/** On one line with a space after commas and colons, as Python writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
    .join(", ")}}`;
}
