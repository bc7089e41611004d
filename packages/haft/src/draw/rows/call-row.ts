import type { Remembered } from "@haft/core/approval";
import { counted, type Display } from "@haft/core/tool";
import type { AnswerView, CallRow, LiveOutput } from "../../view/index.ts";
import { below, drawDisplay, indent, tail } from "../display.ts";
import { withShownPaths } from "../place.ts";
import { lastState, oneLine, programOutput, visible } from "../sanitize.ts";
import { paint, type Style, wrapped } from "../style.ts";
import { type DrawnBefore, type EndedCall, endedBody, endedLine, failedLine } from "./ended-call.ts";

/** Lines shown of a running command. */
const LIVE_LINES = 5;

/** Most calls of a subagent that are shown while it works. */
const CHILDREN = 3;

/** The circumstances in which a row is drawn. */
export interface RowMoment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The present image of the spinner. */
  readonly spinner: string;
  /** Everything is shown, however long. */
  readonly isWhole?: boolean;
  /** The steps of the work are shown elsewhere at the moment. */
  readonly showsTodos?: boolean;
  /** Whether the diff of this call was drawn before, in its question. */
  wasDrawn?(row: CallRow): boolean;
  /** The display of this call without what is drawn elsewhere. */
  shortened?(row: CallRow): Display | undefined;
}

/** A call as lines, from its first argument to its result. */
export function drawCall(row: CallRow, style: Style, moment: RowMoment): string {
  const title = oneLine(row.title);
  switch (row.status) {
    case "writing":
      return paint(style, "dim", `○ ${title} ${writtenOf(row)}`.trimEnd());
    case "waiting":
      return paint(style, "dim", `○ ${title}`);
    case "asking":
      return `${paint(style, "yellow", "?")} ${title}`;
    case "running":
      return [runningLine(row, style, moment), ...liveBody(row, style), ...liveChildren(row, style, moment)].join("\n");
    case "ok":
      return [
        endedLine(endedOf(row), style),
        ...keptLines(row.answers, style),
        ...childrenLine(row, style, moment),
        ...shownBody(row, style, moment),
      ].join("\n");
    default:
      return drawFailed(row, style, moment);
  }
}

function drawFailed(row: CallRow, style: Style, moment: RowMoment): string {
  const said = row.answers.findLast(({ behavior }) => behavior === "deny");
  const who = said ? `${oneLine(said.by)} said no${said.message ? `: ${oneLine(said.message)}` : ""}` : undefined;
  const reason = row.status === "denied" ? row.reason : undefined;
  const words = who ?? row.error ?? row.status;
  const error = below(visible(withShownPaths(style, words)));
  return [
    failedLine(endedOf(row), style),
    ...commandLines(row, style),
    ...(row.display?.kind === "terminal" ? shownBody(row, style, moment) : []),
    indent(row.status === "cancelled" ? paint(style, "dim", error) : error),
    ...(reason && !who && !words.includes(reason) ? [indent(visible(withShownPaths(style, reason)))] : []),
  ].join("\n");
}

/** The commands of a call that never ran: its line may have the model's words for them only. */
const commandLines = ({ status, effects, label, title }: CallRow, style: Style): string[] =>
  status !== "denied"
    ? []
    : effects.flatMap((effect) =>
        effect.do === "run" && effect.text !== (label ?? title)
          ? [indent(paint(style, "dim", `$ ${oneLine(effect.text)}`))]
          : [],
      );

const endedOf = (row: CallRow): EndedCall => ({
  label: row.label ?? row.title,
  title: row.title,
  summary: row.display ? (row.summary ?? "") : "",
  content: row.display ?? { kind: "text", text: "" },
  durationMs: row.durationMs ?? 0,
  ...(row.approvedBy === undefined ? {} : { approvedBy: row.approvedBy }),
  ...(row.rule === undefined ? {} : { rule: row.rule }),
});

function shownBody(row: CallRow, style: Style, moment: RowMoment): string[] {
  const display = (moment.isWhole ? undefined : moment.shortened?.(row)) ?? row.display;
  if (!display) return [];
  if (moment.isWhole) return [indent(drawDisplay(display, style))].filter((drawn) => drawn.trim() !== "");
  if (display.kind === "todos" && moment.showsTodos) return [];
  // The line of the call says it already.
  if (display.kind === "terminal" && display.command === row.label)
    return endedBody({ content: { ...display, command: "" } }, style);
  const before: DrawnBefore = display.kind === "diff" && moment.wasDrawn?.(row) ? "diff" : undefined;
  return endedBody({ content: display }, style, before);
}

function runningLine(row: CallRow, style: Style, { now, spinner }: RowMoment): string {
  const title = row.title === "" ? row.tool : row.title;
  const text = oneLine(row.activity ?? title);
  return `${paint(style, "accent", spinner)} ${text} ${paint(style, "dim", [elapsed(row, now), ...sizeOf(row.output)].filter(Boolean).join(" · "))}`.trimEnd();
}

/** Seconds since the start; nothing in the first, so that short calls do not flicker. */
function elapsed({ startedAt }: CallRow, now: number): string {
  const seconds = startedAt === undefined ? 0 : Math.floor((now - startedAt) / 1000);
  return seconds < 1 ? "" : timeText(seconds);
}

/** 75 as `1 m 15 s`. */
export const timeText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`;

const sizeOf = (output: LiveOutput | undefined): string[] =>
  output && output.bytes > 0
    ? [...(output.lines > 0 ? [counted(output.lines, "line")] : []), bytesText(output.bytes)]
    : [];

/** 1536 as `1.5 KB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "KB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** The last lines of the output; a progress bar shows its last state. */
function liveBody({ output, display }: CallRow, style: Style): string[] {
  const bar = paint(style, "dim", "│");
  const lines = (output?.tail ?? "")
    .split("\n")
    .map(lastState)
    .filter((line) => line.trim() !== "")
    .slice(-LIVE_LINES)
    .map((line) => `  ${bar} ${shortLine(line, style)}`);
  const live =
    display && display.kind !== "terminal" && display.kind !== "text"
      ? [indent(tail(drawDisplay(display, style), LIVE_LINES, style))]
      : [];
  return [...live, ...lines];
}

/** The start of a line, as much as fits beside its mark: the end shows all of it. */
function shortLine(line: string, style: Style): string {
  const room = Number.isFinite(style.width) ? Math.max(8, style.width - 5) : 500;
  const shown = programOutput(line.slice(0, room * 8), false);
  return shown.length > room ? `${shown.slice(0, room - 1)}…` : programOutput(line, style.color);
}

function liveChildren({ children }: CallRow, style: Style, moment: RowMoment): string[] {
  const hidden = children.length - CHILDREN;
  return [
    ...(hidden > 0 ? [paint(style, "dim", `  … ${counted(hidden, "call")} before`)] : []),
    ...children.slice(-CHILDREN).map((child) => indent(headOf(child, style, moment))),
  ];
}

/** The calls of a subagent that has ended, as a count, or all of them. */
function childrenLine({ children }: CallRow, style: Style, moment: RowMoment): string[] {
  if (children.length === 0) return [];
  if (moment.isWhole) return children.map((child) => indent(drawCall(child, style, moment)));
  const failed = children.filter(({ status }) => status === "error" || status === "denied").length;
  return [paint(style, "dim", `  ${counted(children.length, "call")}${failed > 0 ? `, ${failed} failed` : ""}`)];
}

/** The first line of a call. */
const headOf = (row: CallRow, style: Style, moment: RowMoment): string =>
  drawCall(row, style, moment).split("\n", 1)[0] ?? "";

/** The arguments while the model writes them. */
const writtenOf = ({ written }: CallRow): string => (written === undefined ? "…" : oneLine(written.slice(-80)));

/** The rules that "always" has saved, word for word, and where they are. */
const keptLines = (answers: readonly AnswerView[], style: Style): string[] =>
  answers.flatMap(({ kept }) => (kept ? keptLine(kept) : [])).map((line) => indent(paint(style, "dim", line)));

function keptLine({ scope, rules, saved, file, notice }: Remembered): string[] {
  const texts = rules.map(({ text }) => oneLine(text)).join(", ");
  const where = saved ? `saved in ${oneLine(file ?? scope)}` : "for this session";
  return [
    ...(rules.length > 0 ? [`allowed from now on, ${where}: ${texts}`] : []),
    ...(notice ? [oneLine(notice)] : []),
  ];
}

/** Fits a drawing to the terminal. */
export const fitted = (drawn: string, style: Style): string => wrapped(drawn, style.width);
