import { fail, type TextFile } from "@haft/core/tool";
import { closestLines } from "./closest.ts";

/** A wish to replace one text by another. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** A text after its replacements. */
export interface Replaced {
  readonly text: string;
  /** Numbers of the lines on which the replaced passages began. */
  readonly lines: readonly number[];
}

/** Most places that an error names. */
const MAX_NAMED = 8;

/** Refuses a wish that could do nothing or anything, whatever the file holds. */
export function checkReplacement({ old_string, new_string }: Replacement): void {
  if (old_string === "")
    fail("invalid_input", "old_string is empty.", "Give the text to replace. To create a file, use Write.");
  if (old_string === new_string)
    fail("no_change", "old_string and new_string are the same.", "Give the text as it should be in new_string.");
}

/**
 * Replaces exactly what is asked for and nothing else. Line ends do not count when looking, and the new text gets those
 * of the file, so a file with CRLF can be edited by somebody who sees LF. Everything outside the passages keeps its
 * bytes; nothing in the new text has a special meaning.
 */
export function replaceText(path: string, file: Pick<TextFile, "text" | "eol">, wish: Replacement): Replaced {
  checkReplacement(wish);
  const plain = file.text.replaceAll("\r\n", "\n");
  const old = wish.old_string.replaceAll("\r\n", "\n");
  const places = occurrences(plain, old);
  if (places.length === 0) refuseMissing(path, plain, old);
  const lines = lineNumbers(plain, places);
  if (places.length > 1 && !wish.replace_all) refuseAmbiguous(path, lines);
  const eol = file.eol === "\r\n" ? "\r\n" : "\n";
  const next = wish.new_string.replaceAll("\r\n", "\n").replaceAll("\n", eol);
  const starts = rawOffsets(
    file.text,
    places.flatMap((place) => [place, place + old.length]),
  );
  let text = "";
  let from = 0;
  for (let index = 0; index < starts.length; index += 2) {
    text += file.text.slice(from, starts[index]) + next;
    from = starts[index + 1] ?? from;
  }
  text += file.text.slice(from);
  if (text === file.text) fail("no_change", `${path} already holds the new text.`, "Nothing is left to do here.");
  return { text, lines };
}

function occurrences(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** Ascending offsets of the text without carriage returns, as offsets of the text with them. */
function rawOffsets(raw: string, offsets: readonly number[]): number[] {
  let removed = 0;
  let next = raw.indexOf("\r\n");
  return offsets.map((offset) => {
    while (next >= 0 && next - removed < offset) {
      removed += 1;
      next = raw.indexOf("\r\n", next + 2);
    }
    return offset + removed;
  });
}

function lineNumbers(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf("\n", from); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
    from = place;
    return line;
  });
}

function refuseAmbiguous(path: string, lines: readonly number[]): never {
  const named = lines.slice(0, MAX_NAMED).join(", ") + (lines.length > MAX_NAMED ? ", …" : "");
  fail(
    "match_ambiguous",
    `old_string occurs ${lines.length} times in ${path}: on lines ${named}.`,
    "Add lines around it until it fits one place only, or set replace_all to change all of them.",
    { path, lines: lines.slice(0, 100) },
  );
}

function refuseMissing(path: string, text: string, old: string): never {
  const hasNumbers = /^\s*\d+\t/m.test(old) && !/^\s*\d+\t/m.test(text);
  const closest = closestLines(text, old);
  fail(
    "match_not_found",
    `old_string is not in ${path}.${closest ? `\n${closest.says}:\n${closest.shown}` : ""}`,
    hasNumbers
      ? "Leave out the line numbers that Read puts in front of each line."
      : "Copy the text exactly as it stands in the file, with its indentation. Read the file again if it may have changed.",
    { path, ...(closest ? { line: closest.line } : {}) },
  );
}
