import type { Display, FileEntry, Match, Todo } from "@haft/core/tool";
import { drawDiff } from "./diff.ts";
import { drawnPath, linked, shownPath } from "./place.ts";
import { oneLine, programOutput, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/**
 * Draws the display of any tool, as lines without a final line break. Knows no tool by name. `whole`: for a question;
 * terminal controls are shown, not dropped, because they are part of the call's effect.
 */
export function drawDisplay(display: Display, style: Style, whole = false): string {
  switch (display.kind) {
    case "text":
      return drawText(display.text, whole);
    case "markdown":
      return style.markdown?.(whole ? visible(display.text) : display.text, style) ?? drawText(display.text, whole);
    case "terminal":
      return drawTerminal(display, style, whole);
    case "diff":
      return drawDiff(display, style);
    case "matches":
      return [...display.matches.map((match) => drawMatch(match, style)), ...more(display.more, style)].join("\n");
    case "files":
      return [...display.files.map((file) => drawFile(file, style)), ...more(display.more, style)].join("\n");
    case "todos":
      return display.todos.map((todo) => drawTodo(todo, style)).join("\n");
    case "table":
      return drawTable(display.columns, display.rows, style);
    case "image":
      return drawImage(display, style);
    case "message":
      return drawMessage(display, style);
    case "progress":
      return drawProgress(display);
    case "group":
      return [
        paint(style, "bold", oneLine(display.title)),
        ...display.items.map((item) => indent(drawDisplay(item, style, whole))),
      ].join("\n");
  }
}

const drawText = (text: string, whole: boolean): string =>
  (whole ? visible(text) : programOutput(text, false)).replace(/\n+$/, "");

function drawImage(image: Extract<Display, { kind: "image" }>, style: Style): string {
  const { alt, mediaType, data } = image;
  const file = style.imageFile?.(image);
  const about = paint(style, "dim", `[${oneLine(alt)}, ${oneLine(mediaType)}, ${bytesOf(data)}]`);
  return file === undefined ? about : `${about} ${drawnPath(style, file)}`;
}

/** A block below a heading. */
export const indent = (block: string, by = "  "): string => block.replaceAll(/^(?=.)/gm, by);

/** Indents the later lines of a text that follows something: the left edge is for Haft's own lines. */
export const below = (text: string): string => text.replaceAll(/\n(?=[^\n ])/g, "\n  ");

/** The last lines of a block, with a note about the omitted ones. */
export function tail(block: string, lines: number, style: Style): string {
  const all = block.split("\n");
  if (all.length <= lines) return block;
  return [paint(style, "dim", `… ${all.length - lines} lines before`), ...all.slice(-lines)].join("\n");
}

function drawTerminal(
  { text, command, exitCode }: Extract<Display, { kind: "terminal" }>,
  style: Style,
  whole: boolean,
): string {
  const trimmed = text.replace(/[\r\n]+$/, "");
  const output = whole ? visible(trimmed) : programOutput(trimmed, style.color);
  return [
    // People decide on a command, so nothing in it is left out.
    ...(command === undefined || command === ""
      ? []
      : [paint(style, "bold", `$ ${visible(command).replaceAll("\n", "\n  ")}`)]),
    ...(output === "" ? [] : [output]),
    ...(exitCode === undefined || exitCode === 0 ? [] : [paint(style, "red", `exit code ${exitCode}`)]),
  ].join("\n");
}

function drawMatch({ path, line, text, ranges = [] }: Match, style: Style): string {
  let shown = "";
  let from = 0;
  for (const [start, end] of ranges) {
    if (start < from) continue;
    shown += visible(text.slice(from, start)) + paint(style, "yellow", visible(text.slice(start, end)));
    from = end;
  }
  shown += visible(text.slice(from));
  const place = linked(style, path, `${oneLine(shownPath(style, path))}:${line}`, line);
  return `${paint(style, "blue", place)}: ${shown}`;
}

function drawFile({ path, kind, size }: FileEntry, style: Style): string {
  const name = drawnPath(style, path);
  if (kind === "directory") return paint(style, "blue", `${name}/`);
  return size === undefined ? name : `${name}  ${paint(style, "dim", `${grouped(size)} bytes`)}`;
}

function drawTodo({ content, status }: Todo, style: Style): string {
  if (status === "completed") return paint(style, "dim", `[x] ${oneLine(content)}`);
  return status === "in_progress" ? paint(style, "bold", `[>] ${oneLine(content)}`) : `[ ] ${oneLine(content)}`;
}

/** Columns as wide as their widest cell, except the last. */
function drawTable(columns: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  const cells = [columns, ...rows].map((row) => row.map(oneLine));
  const widths = columns.map((_, column) => cells.reduce((most, row) => Math.max(most, (row[column] ?? "").length), 0));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [paint(style, "bold", lines[0] ?? ""), ...lines.slice(1)].join("\n");
}

/** A bar at the left edge sets it apart from its surroundings. */
function drawMessage({ text, files = [] }: Extract<Display, { kind: "message" }>, style: Style): string {
  const inner = { ...style, width: style.width - 2 };
  const words = (style.markdown?.(text, inner) ?? programOutput(text, false)).trim();
  const lines = [...(words === "" ? [] : words.split("\n")), ...files.map((file) => drawFile(file, style))];
  const bar = paint(style, "yellow", "┃");
  return lines.map((line) => `${bar} ${line}`.trimEnd()).join("\n");
}

function drawProgress({ text, done, total }: Extract<Display, { kind: "progress" }>): string {
  const label = oneLine(text);
  if (done === undefined) return label;
  return total === undefined ? `${label} (${done})` : `${label} (${done} of ${total})`;
}

const more = (count: number | undefined, style: Style): string[] =>
  count ? [paint(style, "dim", `… and ${grouped(count)} more`)] : [];

const bytesOf = (base64: string): string => `${grouped(Math.floor((base64.length * 3) / 4))} bytes`;

/** 1234567 as 1,234,567. Intl would give the same, but takes 15 ms to load. */
const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
