import { fail, grouped } from "@haft/core/tool";
import { ALIKE, type Nearest, nearestPassages } from "../../support/nearest.ts";
import { exactPlaces, separatePlaces } from "./exact.ts";
import { lineNumbers } from "./plain-text.ts";
import type { Found } from "./strategy.ts";

/** Facts about the file, other than its text, when an edit is refused. */
export interface Refusing {
  readonly path: string;
  /** Whether the file's content changed since this session read it. */
  readonly hasChanged?: boolean;
  /** The encoding in which the file was read, if nothing proves it. */
  readonly guess?: string;
  /** The edit's position in a list of several: "edits[1]". */
  readonly label?: string;
}

/** Maximum places that an error names. */
const MAX_NAMED = 8;
/** Maximum lines shown of the nearest passage. */
const MAX_SHOWN = 30;
/** Maximum lines shown of each passage that is only partly alike. */
const MAX_PARTLY = 10;
/** Maximum lines whose differences are described. */
const MAX_DIFFERENCES = 5;
/** Characters shown of a line. */
const MAX_CHARS = 200;

/** Refuses a passage that occurs in several places. */
export function refuseAmbiguous({ path, label }: Refusing, text: string, found: Found): never {
  const all = found.strategy === "exact" ? separatePlaces(text, found.old) : found.spans;
  // Overlapping places, such as `aa` in `aaa`, count as several too.
  const spans = all.length > 1 ? all : exactPlaces(text, found.old, 2);
  const lines = lineNumbers(
    text,
    spans.map((span) => span.start),
  );
  const numbers = [...new Set(lines)];
  const named = numbers.slice(0, MAX_NAMED).join(", ") + (numbers.length > MAX_NAMED ? ", …" : "");
  const where = numbers.length === 1 ? `all on line ${named}` : `on lines ${named}`;
  const how = found.strategy === "exact" ? "" : ` when ${found.strategy} is not compared`;
  fail(
    "match_ambiguous",
    `${subject(label)} occurs ${grouped(lines.length)} times in ${path}${how}: ${where}.`,
    `Add surrounding lines until it matches only one place, or set replace_all to change all of them.${noneMade(label)}`,
    { path, lines: lines.slice(0, 100) },
  );
}

/** Refuses a missing passage and shows what is nearest to it: one passage, its rivals, or similar parts. */
export function refuseMissing(refusing: Refusing, text: string, old: string, next: string): never {
  const { path, label, hasChanged } = refusing;
  const near = nearestPassages(text, old);
  const [nearest, ...others] = near.map(({ line, endLine, similarity }) => ({ line, endLine, similarity }));
  const changed = hasChanged ? ` The file has changed since it was read.` : "";
  fail(
    "match_not_found",
    [`${subject(label)} is not in ${path}.${changed}`, shown(near)].filter(Boolean).join("\n"),
    `${cureOf(refusing, text, old, next)}${noneMade(label)}`,
    {
      path,
      ...(hasChanged === undefined ? {} : { hasChanged }),
      ...nearest,
      ...(others.length > 0 ? { others } : {}),
    },
  );
}

const subject = (label: string | undefined): string => (label ? `${label}.old_string` : "old_string");

/** The edits before the refused one were not made either. */
const noneMade = (label: string | undefined): string => (label ? " None of the edits was made." : "");

function cureOf({ hasChanged, guess }: Refusing, text: string, old: string, next: string): string {
  if (/^\s*\d+\t/m.test(old) && !/^\s*\d+\t/m.test(text))
    return "Leave out the line numbers that Read puts in front of each line.";
  const made = next.trim().length > 10 ? text.indexOf(next) : -1;
  if (made >= 0)
    return `new_string is already in the file, on line ${lineNumbers(text, [made])[0]}: this edit seems to be done already.`;
  if (hasChanged) return "Read the file again, then edit its current content.";
  if (guess !== undefined) return `The encoding ${guess} is a guess: if it is wrong, pass the right one as encoding.`;
  return "Copy the text exactly from the file, with its indentation. Read the file again if it may have changed.";
}

function shown([nearest, ...others]: readonly Nearest[]): string {
  if (!nearest) return "";
  if (nearest.similarity >= ALIKE) return [passage(nearest), rivals(others)].filter(Boolean).join("\n");
  const partly = [nearest, ...others].sort((a, b) => a.line - b.line);
  const lines = partly.map((each) => numbered(each, MAX_PARTLY).join("\n"));
  return ["No passage in the file resembles all of it; parts of it resemble these lines:", ...lines].join("\n     …\n");
}

const placeOf = ({ line, endLine }: Nearest): string =>
  line === endLine ? `line ${line}` : `lines ${line} to ${endLine}`;
const percent = ({ similarity }: Nearest): string => `${Math.min(Math.round(similarity * 100), 99)} %`;

function rivals(others: readonly Nearest[]): string {
  if (others.length === 0) return "";
  return `Almost as similar: ${others.map((each) => `${placeOf(each)} (${percent(each)})`).join(", ")}.`;
}

function numbered({ line, lines }: Nearest, most: number): string[] {
  const shown = lines.slice(0, most).map((text, index) => `${String(line + index).padStart(6)}\t${clipped(text)}`);
  return lines.length > most ? [...shown, `     …\t(${lines.length - most} more lines)`] : shown;
}

function passage(nearest: Nearest): string {
  return [
    `The nearest passage is ${placeOf(nearest)}, ${percent(nearest)} similar:`,
    ...numbered(nearest, MAX_SHOWN),
    ...difference(nearest.differences),
  ].join("\n");
}

function difference(differences: Nearest["differences"]): string[] {
  if (differences.length === 0) return ["It was compared word by word, because its line breaks differ."];
  const isWhite = differences.every(({ file, wanted }) => bare(file) === bare(wanted));
  const says = differences.slice(0, MAX_DIFFERENCES).map(({ line: at, file, wanted }) => {
    if (file === undefined) return `  missing in the file, after line ${at}: ${quoted(wanted, isWhite)}`;
    if (wanted === undefined) return `  only in the file, line ${at}: ${quoted(file, isWhite)}`;
    return `  line ${at} has ${quoted(file, isWhite)}\n  old_string has ${quoted(wanted, isWhite)}`;
  });
  const more = differences.length - MAX_DIFFERENCES;
  return [
    isWhite ? "It differs only in whitespace (→ is a tab, · a space):" : "It differs here:",
    ...says,
    ...(more > 0 ? [`  and on ${more} more lines`] : []),
  ];
}

const bare = (line: string | undefined): string => (line ?? "").replace(/\s+/g, "");
const clipped = (line: string): string => (line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line);

function quoted(line: string | undefined, showsWhite: boolean): string {
  const text = clipped(line ?? "");
  return `\`${showsWhite ? text.replaceAll("\t", "→").replaceAll(" ", "·") : text}\``;
}
