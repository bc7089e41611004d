import { fail } from "@haft/core/tool";
import { itemsOf, type JsonSpan, memberOf, membersOf } from "./json-text.ts";

export type CellType = "code" | "markdown" | "raw";

/** A cell as in nbformat 4; unnamed fields are preserved. */
export interface Cell {
  readonly cell_type: CellType;
  readonly id?: string;
  readonly source: string | readonly string[];
  readonly execution_count?: number | null;
  readonly outputs?: readonly Readonly<Record<string, unknown>>[];
}

/** A notebook and the positions of its cells in its text. */
export interface Notebook {
  readonly text: string;
  readonly cells: readonly Cell[];
  readonly spans: readonly JsonSpan[];
  /** The position of the list of cells. */
  readonly list: JsonSpan;
  /** Whether cells have identifiers (nbformat 4.5). */
  readonly hasIds: boolean;
  readonly language: string;
}

/**
 * Reads a notebook.
 *
 * @throws HaftError `validation_failed` when the text is not JSON, or not a notebook of nbformat 4.
 */
export function parseNotebook(path: string, text: string): Notebook {
  const value = parsed(path, text);
  const { cells, nbformat, nbformat_minor: minor, metadata } = value as Record<string, unknown>;
  if (nbformat !== 4 || !Array.isArray(cells) || !cells.every(isCell))
    return fail(
      "validation_failed",
      `${path} is not a notebook of nbformat 4.`,
      nbformat === undefined || nbformat === 4
        ? "Each cell needs cell_type and source. Edit it as text."
        : "Convert it first: jupyter nbconvert --to notebook --nbformat 4.",
    );
  const start = text.indexOf("{");
  const list = memberOf(membersOf(text, start), "cells") ?? { start: 0, end: 0 };
  const { language_info: info, kernelspec } = (metadata ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const language = String(info?.name ?? kernelspec?.language ?? "python");
  return {
    text,
    cells,
    spans: itemsOf(text, list.start),
    list,
    hasIds: typeof minor === "number" && minor >= 5,
    language,
  };
}

function parsed(path: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && text.trimStart().startsWith("{")) return value;
  } catch (thrown) {
    return fail(
      "validation_failed",
      `${path} is not valid JSON: ${(thrown as Error).message.replaceAll(/\s+/g, " ")}`,
      "Repair it as text with Edit, then change its cells.",
    );
  }
  return fail("validation_failed", `${path} is not a notebook.`, "A notebook is a JSON object with cells.");
}

function isCell(value: unknown): value is Cell {
  if (typeof value !== "object" || value === null) return false;
  const { cell_type: type, source } = value as Partial<Cell>;
  const isSource =
    typeof source === "string" || (Array.isArray(source) && source.every((line) => typeof line === "string"));
  return (type === "code" || type === "markdown" || type === "raw") && isSource;
}

/** The source of a cell as one text. */
export const sourceOf = ({ source }: Cell): string => (typeof source === "string" ? source : source.join(""));

/** Finds the index of a cell by its identifier, by `cell-N` for a cell without one, or by its number from 0. */
export function cellIndex(
  path: string,
  { cells }: Notebook,
  id: string | undefined,
  number: number | undefined,
): number {
  if (number !== undefined) {
    if (number < cells.length) return number;
    return fail(
      "match_not_found",
      `${path} has no cell ${number}: it has ${cells.length}.`,
      cells.length > 0 ? `Use a number from 0 to ${cells.length - 1}.` : "Insert a cell first.",
    );
  }
  const found = cells.findIndex((cell) => cell.id !== undefined && cell.id === id);
  if (found >= 0) return found;
  const counted = /^cell-(\d+)$/.exec(id ?? "")?.[1];
  if (counted !== undefined && Number(counted) < cells.length) return Number(counted);
  const ids = cells.slice(0, 20).map((cell, index) => cell.id ?? `cell-${index}`);
  return fail(
    "match_not_found",
    `${path} has no cell "${id}".`,
    `Its cells are: ${ids.join(", ")}${cells.length > 20 ? ", …" : ""}.`,
  );
}
