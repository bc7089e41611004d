import type { Display } from "@haft/core/tool";
import { oneLine, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** Below this many columns line numbers would take too much of each line. */
const NARROW = 50;

/** A change as lines with numbers, `-` and `+`. The same picture in a result and in the question before it. */
export function drawDiff(diff: Extract<Display, { kind: "diff" }>, style: Style): string {
  const counts = `${paint(style, "green", `+${diff.added}`)} ${paint(style, "red", `-${diff.removed}`)}`;
  const rows = rowsOf(diff.unified);
  const digits = Math.max(...rows.map(({ number }) => String(number ?? "").length), 1);
  const gutter = (number: number | undefined) =>
    style.width < NARROW ? "" : `${String(number ?? "").padStart(digits)} `;
  const lines = rows.map(({ mark, number, text }) => {
    if (mark === "@") return paint(style, "cyan", "…");
    const line = `${gutter(number)}${mark} ${visible(text)}`;
    if (mark === "+") return paint(style, "green", line);
    return mark === "-" ? paint(style, "red", line) : line;
  });
  return [`${paint(style, "bold", oneLine(diff.path))}  ${counts}`, ...lines].join("\n");
}

interface Row {
  readonly mark: "+" | "-" | " " | "@";
  /** Line in the old file for what goes, in the new one for the rest. */
  readonly number?: number;
  readonly text: string;
}

/** The rows of a unified diff. What stands before the first hunk names the files and is left out. */
function rowsOf(unified: string): Row[] {
  const rows: Row[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of unified.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (isInHunk) rows.push({ mark: "@", text: "" });
      isInHunk = true;
    } else if (isInHunk && line.startsWith("-")) rows.push({ mark: "-", number: before++, text: line.slice(1) });
    else if (isInHunk && line.startsWith("+")) rows.push({ mark: "+", number: after++, text: line.slice(1) });
    else if (isInHunk && line.startsWith(" ")) {
      rows.push({ mark: " ", number: after++, text: line.slice(1) });
      before++;
    } else if (isInHunk && line.startsWith("\\")) rows.push({ mark: " ", text: line });
  }
  return rows;
}
