import type { Display, SearchResult } from "@haft/core/tool";
import { counted } from "@haft/core/tool";

/** The output mode of a text search. */
export type GrepMode = "files_with_matches" | "content" | "count";

/** The output of a text search for programs. */
export interface GrepOutput {
  readonly mode: GrepMode;
  readonly pattern: string;
  /** Absolute path of the searched file or folder. */
  readonly root: string;
  readonly engine: SearchResult["engine"];
  /** For `content`; files below the working directory have relative paths. */
  readonly matches: SearchResult["matches"];
  /** For the other modes: one entry per file. */
  readonly files: SearchResult["files"];
  /** Total matching lines (content) or files. */
  readonly total: number;
  /** How many of them are included here. */
  readonly shown: number;
  readonly offset: number;
  readonly truncated: boolean;
  /** For `count`: matching lines of all files, including those not shown. */
  readonly lines?: number;
  readonly numbers: boolean;
  /** Some places could not be read, so there may be more. */
  readonly unread?: true;
}

/** The note about places that were skipped because they are denied. */
export const unreadNote =
  "[Some files or folders could not be read, so there may be more. List them with `find . -not -readable` in Bash.]";

/** The search result for display, with a note above it if places were skipped. */
export const partlyRead = (found: Display, unread: true | undefined): Display =>
  unread ? { kind: "group", title: "Some files or folders could not be read.", items: [found] } : found;

/** The result for the model: in grep's familiar form, followed by notes on what is missing. */
export function grepText(output: GrepOutput): string {
  const { total, shown, offset, pattern, root, mode } = output;
  const unread = output.unread ? [unreadNote] : [];
  if (total === 0) return [`No match for ${pattern} in ${root}.`, ...unread].join("\n");
  const unit = mode === "content" ? "matching line" : "file";
  if (shown === 0) return `No entries at offset ${offset}: there are ${counted(total, unit)}.`;
  const body = mode === "content" ? matchLines(output) : output.files.map((file) => fileLine(mode, file));
  const sum = mode === "count" ? [`[${counted(output.lines ?? 0, "matching line")} in ${counted(total, "file")}]`] : [];
  const more = output.truncated
    ? [`[${offset + 1} to ${offset + shown} of ${counted(total, unit)}. Continue with offset: ${offset + shown}.]`]
    : [];
  return [...body, ...sum, ...more, ...unread].join("\n");
}

const fileLine = (mode: GrepMode, { path, count: lines }: GrepOutput["files"][number]): string =>
  mode === "count" ? `${quoted(path)}:${lines}` : quoted(path);

/** `path:line:text`, `path-line-text` for context, `--` between passages that are not adjacent. */
function matchLines({ matches, numbers }: GrepOutput): string[] {
  const hasContext = matches.some((match) => match.context);
  return matches.flatMap(({ path, line, text, context }, index) => {
    const sign = context ? "-" : ":";
    const before = matches[index - 1];
    const isApart = hasContext && before !== undefined && (before.path !== path || before.line + 1 !== line);
    const shown = `${quoted(path)}${sign}${numbers ? `${line}${sign}` : ""}${text}`;
    return isApart ? ["--", shown] : [shown];
  });
}

/** A name with a line break would look like two, so such names are quoted. */
const quoted = (path: string): string => (/[\n\r]/.test(path) ? JSON.stringify(path) : path);
