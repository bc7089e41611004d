import type { Display } from "@haft/core/tool";
import { drawDisplay, indent, tail } from "../display.ts";
import { lastState, oneLine } from "../sanitize.ts";
import { paint, type Style } from "../style.ts";

/** Maximum lines shown of a result while an agent works; the log has all of them. */
const ROWS = 12;

/** Most characters shown of a line of output. */
const LINE_CHARS = 1_000;

/** The part of a result that is already drawn above: the diff, in its question; the output, as it arrived. */
export type DrawnBefore = "diff" | "output" | undefined;

/** An ended call as people see it, whatever tool it was. */
export interface EndedCall {
  /** The call, in the words of its tool for its input. */
  readonly label: string;
  /** The title at its end: the live title, else the label. */
  readonly title: string;
  readonly summary: string;
  readonly content: Display;
  readonly durationMs: number;
  readonly approvedBy?: string;
  /** The rule that allowed it, as `allow Edit(/src/**)`. */
  readonly rule?: string;
}

/** The line of a call that succeeded. */
export const endedLine = (call: EndedCall, style: Style): string =>
  `${paint(style, "green", "●")} ${oneLine(headOf(call))} ${paint(style, "dim", noteOf(call))}`.trimEnd();

/** The line of a call that failed. */
export const failedLine = (call: EndedCall, style: Style): string =>
  `${paint(style, "red", "✗")} ${oneLine(call.label)} ${paint(style, "dim", noteOf(call))}`.trimEnd();

/** The part of the result that people want to see. */
export function endedBody({ content }: Pick<EndedCall, "content">, style: Style, before?: DrawnBefore): string[] {
  if (!isWorthDrawing(content) || before === "diff") return [];
  const drawn = drawShort(before === "output" ? endOf(content) : content, style);
  return drawn === "" ? [] : [indent(drawn)];
}

/** How a command ended, without its output. */
const endOf = (content: Display): Display =>
  content.kind === "terminal" && content.exitCode !== undefined
    ? { kind: "terminal", text: "", exitCode: content.exitCode }
    : { kind: "terminal", text: "" };

/** The call, and its result unless that is drawn below. */
function headOf({ label, title, summary, content }: EndedCall): string {
  const end = title === label ? summary : title;
  if (isWorthDrawing(content) || end === "" || (end === summary && content.kind === "text")) return label;
  const subject = label.slice(label.indexOf(" ") + 1);
  return end.includes(subject) ? end : `${label} — ${end}`;
}

/** The duration, and the approval or rule behind the call if the mode alone did not allow it. */
function noteOf({ durationMs, approvedBy, rule }: EndedCall): string {
  const why = approvedBy ? `allowed by ${approvedBy}` : rule ? `by the rule ${rule}` : "";
  const time = durationMs === 0 ? "" : durationText(durationMs);
  return [time, why].filter(Boolean).map(oneLine).join(" · ");
}

const durationText = (ms: number): string =>
  ms < 1000 ? `${ms < 1 ? "<1" : Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** Text is for the model and long. People want to see changes, commands and remaining work. */
const isWorthDrawing = ({ kind }: Display): boolean => kind !== "text" && kind !== "markdown" && kind !== "files";

function drawShort(display: Display, style: Style): string {
  if (display.kind === "diff") return drawDisplay(display, style);
  const short =
    display.kind === "terminal" ? { ...display, text: display.text.split("\n").map(shortLine).join("\n") } : display;
  return tail(drawDisplay(short, style), ROWS, style);
}

function shortLine(line: string): string {
  const state = lastState(line);
  const hidden = state.length - LINE_CHARS;
  return hidden <= 0 ? state : `${state.slice(0, LINE_CHARS)} … ${hidden.toLocaleString("en")} more characters`;
}
