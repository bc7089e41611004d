import { fail } from "@haft/core/tool";
import type { Chunk, ChunkStep, Operation } from "./operation.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const MOVE = "*** Move to: ";
const HEADERS = { add: "*** Add File: ", delete: "*** Delete File: ", update: "*** Update File: " } as const;

/** The lines of a patch, read from the top. Numbers count from 1. */
interface Cursor {
  readonly lines: readonly string[];
  /** Number of the first line in the model's text. */
  readonly first: number;
  at: number;
}

/**
 * Parses a patch: Begin and End, then files to add, delete and update. Ignores a shell heredoc around it and white
 * space around the markers. Anything else outside the grammar is an error that names its line.
 */
export function parsePatch(input: string): readonly Operation[] {
  const cursor = bodyOf(input);
  const operations: Operation[] = [];
  while (cursor.at < cursor.lines.length) {
    if (peek(cursor).trim() === "") cursor.at += 1;
    else operations.push(operation(cursor));
  }
  if (operations.length === 0)
    fail("patch_invalid", "The patch names no file.", `Put ${HEADERS.update}PATH and its changes between the markers.`);
  return operations;
}

/** The lines between the markers. */
function bodyOf(input: string): Cursor {
  const all = input.split("\n");
  // If a patch has CRLF throughout, something converted its line ends on the way.
  const lines = /^\*\*\* Begin Patch[ \t]*\r$/m.test(input) ? all.map((line) => line.replace(/\r$/, "")) : all;
  let from = lines.findIndex((line) => line.trim() !== "");
  let to = lines.findLastIndex((line) => line.trim() !== "");
  if (from < 0) return refuse(1, "The patch is empty.", `Begin with ${BEGIN}.`);
  const heredoc = /^\s*(?:[\w./-]+\s+)?<<-?\s*(?:'(\w+)'|"(\w+)"|(\w+))\s*$/.exec(lines[from] ?? "");
  if (heredoc && lines[to]?.trim() === (heredoc[1] ?? heredoc[2] ?? heredoc[3])) {
    from += 1;
    to -= 1;
  }
  if (lines[from]?.trim() !== BEGIN)
    refuse(
      from + 1,
      `The patch must begin with ${BEGIN}, but there is ${quoted(lines[from])}.`,
      "Put the marker first.",
    );
  if (to <= from || lines[to]?.trim() !== END)
    refuse(to + 1, `The patch must end with ${END}, but there is ${quoted(lines[to])}.`, "Put the marker last.");
  return { lines: lines.slice(from + 1, to), first: from + 2, at: 0 };
}

function operation(cursor: Cursor): Operation {
  const line = cursor.first + cursor.at;
  const header = peek(cursor).trim();
  cursor.at += 1;
  const kind = (["add", "delete", "update"] as const).find((each) => `${header} `.startsWith(HEADERS[each]));
  if (!kind)
    return refuse(
      line,
      `${quoted(header)} begins no file section.`,
      `A section begins with ${HEADERS.add}PATH, ${HEADERS.delete}PATH or ${HEADERS.update}PATH.`,
    );
  const path = header.slice(HEADERS[kind].length).trim();
  if (path === "") return refuse(line, "The path is missing.", `Write it after ${HEADERS[kind].trim()}`);
  if (kind === "add") return { kind, path, line, text: addedText(cursor, path) };
  if (kind === "delete") return { kind, path, line };
  return update(cursor, path, line);
}

function addedText(cursor: Cursor, path: string): string {
  const lines: string[] = [];
  for (; cursor.at < cursor.lines.length && peek(cursor).startsWith("+"); cursor.at++)
    lines.push(peek(cursor).slice(1));
  const next = peek(cursor);
  if (cursor.at < cursor.lines.length && next.trim() !== "" && !isSection(next))
    refuse(cursor.first + cursor.at, `A line of the new file ${path} has no +: ${quoted(next)}.`, "Begin each with +.");
  return lines.map((text) => `${text}\n`).join("");
}

function update(cursor: Cursor, path: string, line: number): Operation {
  let to: string | undefined;
  if (peek(cursor).trim().startsWith(MOVE.trim())) {
    to = peek(cursor).trim().slice(MOVE.length).trim();
    if (to === "") refuse(cursor.first + cursor.at, "The new path is missing.", `Write it after ${MOVE.trim()}`);
    cursor.at += 1;
  }
  const chunks: Chunk[] = [];
  while (cursor.at < cursor.lines.length && !isSection(peek(cursor))) {
    if (peek(cursor) === "" && chunks.length > 0) cursor.at += 1;
    else chunks.push(chunk(cursor, chunks.length === 0));
  }
  if (chunks.length === 0)
    refuse(
      line,
      `The update of ${path} changes nothing.`,
      to === undefined
        ? "Add a chunk: @@, then lines that begin with a space, - or +."
        : "A move needs at least one chunk; one context line that stays is enough.",
    );
  return { kind: "update", path, line, ...(to === undefined ? {} : { to }), chunks };
}

function chunk(cursor: Cursor, mayLackHeader: boolean): Chunk {
  const line = cursor.first + cursor.at;
  const first = peek(cursor);
  const isMarked = isHeader(first);
  if (!isMarked && !(mayLackHeader && /^(?:[ +-]|$)/.test(first)))
    refuse(
      line,
      `${quoted(first)} is not a line of a change.`,
      "Begin it with a space, - or +; a new change begins with @@.",
    );
  const headers = isMarked ? headersOf(cursor) : [];
  const steps: ChunkStep[] = [];
  for (; cursor.at < cursor.lines.length; cursor.at++) {
    const text = peek(cursor);
    const sign = text[0];
    if (text === "") steps.push({ sign: " ", text: "", bare: true });
    else if (sign === " " || sign === "-" || sign === "+") steps.push({ sign, text: text.slice(1) });
    else break;
  }
  const atEnd = peek(cursor).trim() === END_OF_FILE;
  if (steps.length === 0)
    refuse(line, "This change has no lines.", "After @@ come lines that begin with a space, - or +.");
  if (atEnd) cursor.at += 1;
  return { line, headers, steps, atEnd };
}

const isHeader = (line: string): boolean => line === "@@" || line.startsWith("@@ ");

/**
 * One `@@`, or several that narrow down: a class, then its method. One without text names nothing and ends the list.
 */
function headersOf(cursor: Cursor): readonly string[] {
  const headers: string[] = [];
  while (isHeader(peek(cursor))) {
    const named = peek(cursor).slice(3).replace(UNIFIED, "");
    cursor.at += 1;
    if (named === "") break;
    headers.push(named);
  }
  return headers;
}

/** Line numbers of a unified diff, which are ignored here; the text after them is a line of the file. */
const UNIFIED = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/;

const peek = (cursor: Cursor): string => cursor.lines[cursor.at] ?? "";

/** A section header may be indented between sections; within a change an indented one is a context line. */
const isSection = (line: string): boolean =>
  Object.values(HEADERS).some((header) => `${line.trim()} `.startsWith(header));

const quoted = (line = ""): string => `\`${line.length > 120 ? `${line.slice(0, 119)}…` : line}\``;

function refuse(line: number, message: string, cure: string): never {
  return fail("patch_invalid", `Line ${line} of the patch: ${message}`, cure, { line });
}
