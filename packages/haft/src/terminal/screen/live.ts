import { counted } from "@haft/core/tool";
import { type RowMoment, timeText } from "../../draw/rows/call-row.ts";
import { drawnLines, drawRow } from "../../draw/rows/view-row.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { paint, type Style } from "../../draw/style.ts";
import type { SessionView, ShownRow } from "../../view/index.ts";
import { kindOf } from "./scrollback.ts";

/** Most steps of the work that are shown. */
const TODOS = 5;

/** The rows that may still change, at most so many lines: the last ones. */
export function liveRows(rows: readonly ShownRow[], style: Style, moment: RowMoment, room: number): readonly string[] {
  const lines = rows.flatMap((row, at) => {
    const before = rows[at - 1];
    const gap = at === 0 || (kindOf(row) === "call" && before && kindOf(before) === "call") ? [] : [""];
    return [...gap, ...drawnLines(drawRow(row, style, moment), style)];
  });
  const shown = lines.filter((line, at) => line !== "" || (at > 0 && lines[at - 1] !== ""));
  if (shown.length <= room) return shown;
  return room < 2 ? shown.slice(shown.length - room) : [paint(style, "dim", "  …"), ...shown.slice(1 - room)];
}

/** The steps of the work, those that are done as a count. */
export function todoLines({ todos }: SessionView, style: Style): readonly string[] {
  const open = todos.filter(({ status }) => status !== "completed");
  if (open.length === 0) return [];
  const done = todos.length - open.length;
  const hidden = open.length - TODOS;
  return [
    ...(done > 0 ? [paint(style, "dim", `  ☒ ${done} of ${todos.length} done`)] : []),
    ...open
      .slice(0, TODOS)
      .map(({ content, status, activeForm }) =>
        status === "in_progress"
          ? paint(style, "bold", `  ▸ ${oneLine(activeForm ?? content)}`)
          : `  ☐ ${oneLine(content)}`,
      ),
    ...(hidden > 0 ? [paint(style, "dim", `  … ${hidden} more`)] : []),
  ];
}

/** The present work, its duration, and how to stop it. */
export function workLine(
  view: SessionView,
  rows: readonly ShownRow[],
  style: Style,
  { now, spinner }: RowMoment,
  since: number,
): string {
  const last = rows.at(-1);
  const isRunning = rows
    .flatMap((row): readonly ShownRow[] => (row.kind === "group" ? row.calls : [row]))
    .some((row) => row.kind === "call" && row.status === "running");
  const isWriting = last?.kind === "text" || (last?.kind === "call" && last.status === "writing");
  const text = isRunning ? "Working" : isWriting ? "Writing" : "Thinking";
  const seconds = Math.floor((now - since) / 1000);
  const queue = view.queue.length === 0 ? "" : ` · ${counted(view.queue.length, "prompt")} waiting`;
  return `${paint(style, "accent", spinner)} ${text}… ${paint(style, "dim", `${timeText(seconds)} · Esc stops${queue}`)}`;
}

/** The prompts that wait. */
export const queueLines = ({ queue }: SessionView, style: Style): readonly string[] =>
  queue
    .slice(0, 3)
    .map(({ text }) => paint(style, "dim", `  waits: ${oneLine(text)}`.slice(0, Math.max(8, style.width - 1))));
