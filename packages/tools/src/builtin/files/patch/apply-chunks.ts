import { fail } from "@haft/core/tool";
import { nearestPassages } from "../../support/nearest.ts";
import { splitFile } from "./file-lines.ts";
import type { Chunk, ChunkStep } from "./operation.ts";
import { type Sought, seekLines } from "./seek.ts";

/** A file's text after the changes of a patch. */
interface Changed {
  readonly text: string;
  /** Differences that were ignored when a change was matched; empty for exact matches. */
  readonly tolerated: readonly string[];
}

/** A change at its position: replaces `remove` lines from `at` on. */
interface Placed {
  readonly at: number;
  readonly remove: number;
  readonly insert: readonly Piece[];
}

/** A line that stays, byte for byte, or a written line. */
type Piece = { readonly keep: number } | { readonly text: string };

/**
 * Applies the changes of one file. Each change is searched after the previous one. Kept lines keep their bytes, even if
 * the patch has different white space. Written lines get the file's most common line end.
 */
export function applyChunks(path: string, text: string, chunks: readonly Chunk[]): Changed {
  const { lines, ends, eol } = splitFile(text);
  const tolerated = new Set<string>();
  const placed: Placed[] = [];
  let from = 0;
  for (const chunk of chunks) {
    for (const header of chunk.headers) {
      const found = seekLines(lines, [header], from, false) ?? refuse(path, lines, chunk, [header], from);
      from = found.at + 1;
      tolerated.add(found.how);
    }
    const change = place(path, lines, chunk, from);
    tolerated.add(change.found.how);
    placed.push(change.placed);
    if (change.placed.remove > 0) from = change.placed.at + change.placed.remove;
  }
  tolerated.delete("exact");
  const written = write(
    lines,
    ends,
    eol,
    placed.toSorted((a, b) => a.at - b.at),
  );
  return { text: written, tolerated: [...tolerated] };
}

interface Change {
  readonly placed: Placed;
  readonly found: Sought;
}

function place(path: string, lines: readonly string[], chunk: Chunk, from: number): Change {
  const old = chunk.steps.filter((step) => step.sign !== "+");
  // Nothing to search for: new lines go below the line that @@ names, or to the end of the file.
  const end = chunk.headers.length > 0 && !chunk.atEnd ? from : lines.length;
  if (old.length === 0) return addition(chunk.steps, end);
  const found = seekLines(lines, texts(old), from, chunk.atEnd);
  if (found) return { placed: placedAt(chunk.steps, found.at), found };
  const shorter = withoutBareEnd(chunk.steps);
  const rest = shorter.filter((step) => step.sign !== "+");
  if (rest.length === 0 && shorter.length > 0) return addition(shorter, end);
  const again =
    rest.length < old.length && rest.length > 0 ? seekLines(lines, texts(rest), from, chunk.atEnd) : undefined;
  if (again) return { placed: placedAt(shorter, again.at), found: again };
  return refuse(path, lines, chunk, texts(old), from);
}

const addition = (steps: readonly ChunkStep[], at: number): Change => ({
  placed: { at, remove: 0, insert: steps.map(({ text }) => ({ text })) },
  found: { at, how: "exact" },
});

const texts = (steps: readonly ChunkStep[]): string[] => steps.map((step) => step.text);

/** Empty lines at the end of a change may only be space before the next marker. */
function withoutBareEnd(steps: readonly ChunkStep[]): readonly ChunkStep[] {
  return steps.slice(0, steps.findLastIndex((step) => !step.bare) + 1);
}

function placedAt(steps: readonly ChunkStep[], at: number): Placed {
  let line = at;
  const insert: Piece[] = [];
  for (const { sign, text } of steps) {
    if (sign === "+") insert.push({ text });
    if (sign === " ") insert.push({ keep: line });
    if (sign !== "+") line += 1;
  }
  return { at, remove: line - at, insert };
}

function write(lines: readonly string[], ends: readonly string[], eol: string, placed: readonly Placed[]): string {
  const pieces: Piece[] = [];
  let next = 0;
  for (const { at, remove, insert } of placed) {
    for (; next < at; next++) pieces.push({ keep: next });
    for (const piece of insert) pieces.push(piece);
    next = Math.max(next, at + remove);
  }
  for (; next < lines.length; next++) pieces.push({ keep: next });
  const isLast = (index: number): boolean => index === pieces.length - 1;
  return pieces
    .map((piece, index) => {
      if (!("keep" in piece)) return piece.text + eol;
      const end = ends[piece.keep] ?? "";
      return (lines[piece.keep] ?? "") + (end === "" && !isLast(index) ? eol : end);
    })
    .join("");
}

function refuse(path: string, lines: readonly string[], chunk: Chunk, wanted: readonly string[], from: number): never {
  const earlier = seekLines(lines.slice(0, from + wanted.length - 1), wanted, 0, false);
  const [nearest] = earlier ? [] : nearestPassages(lines.join("\n"), wanted.join("\n"));
  const shown = nearest?.lines
    .slice(0, 20)
    .map((line, index) => `${String(nearest.line + index).padStart(6)}\t${line}`);
  const where = chunk.atEnd ? " at the end of the file" : from > 0 ? ` after line ${from}` : "";
  fail(
    "match_not_found",
    [
      `Line ${chunk.line} of the patch: these lines are not in ${path}${where}:`,
      ...wanted.slice(0, 8).map((line) => `  ${line}`),
      ...(wanted.length > 8 ? ["  …"] : []),
      ...(shown && nearest
        ? [`The nearest passage is ${Math.min(Math.round(nearest.similarity * 100), 99)} % alike:`, ...shown]
        : []),
    ].join("\n"),
    earlier
      ? `They stand on line ${earlier.at + 1}, before the change above. Put the changes of a file in the order of its lines.`
      : "Nothing was written. Copy context and removed lines as they stand in the file; read it again if it may have changed.",
    { path, line: chunk.line, ...(nearest ? { nearest: nearest.line } : {}) },
  );
}
