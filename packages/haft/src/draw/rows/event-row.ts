import type { Remembered } from "@haft/core/approval";
import type { CallEvent } from "@haft/core/executor";
import type { Display } from "@haft/core/tool";
import { drawDisplay, indent, tail } from "../display.ts";
import { drawError } from "../outcome.ts";
import { oneLine } from "../sanitize.ts";
import { paint, type Style } from "../style.ts";

/** Maximum lines shown of a result while an agent works; the log has all of them. */
const ROWS = 12;

/** The part of a result that is already drawn above: the diff, in its question; the output, as it arrived. */
export type DrawnBefore = "diff" | "output" | undefined;

/** An event for people, as lines that are only ever appended; `undefined`: nothing. */
export function drawEvent(event: CallEvent, style: Style, before?: DrawnBefore): string | undefined {
  const drawn = drawOwn(event, style, before);
  const { parent, name, id } = event.agent;
  // Events of a subagent are shown below its start, with its name.
  return drawn === undefined || parent === undefined
    ? drawn
    : indent(`${paint(style, "dim", `${oneLine(name ?? id)}:`)} ${drawn}`);
}

function drawOwn(event: CallEvent, style: Style, before: DrawnBefore): string | undefined {
  switch (event.type) {
    case "tool:execution:start":
      // A read ends before anyone could read that it has started.
      return event.traits.isReadOnly ? undefined : paint(style, "dim", `… ${oneLine(event.activity)}`);
    case "tool:permission:response":
      return drawAnswer(event, style);
    case "tool:execution:complete":
      return [
        `${paint(style, "green", "●")} ${oneLine(headOf(event))} ${paint(style, "dim", noteOf(event))}`.trimEnd(),
        ...body(event.content, style, before),
      ].join("\n");
    case "tool:execution:error":
      return [
        `${paint(style, "red", "✗")} ${oneLine(event.label)} ${paint(style, "dim", noteOf(event))}`.trimEnd(),
        ...(event.content.kind === "terminal" ? body(event.content, style, before) : []),
        indent(drawError(event.outcome, style)),
      ].join("\n");
    default:
      return undefined;
  }
}

function body(content: Display, style: Style, before: DrawnBefore): string[] {
  if (!isWorthDrawing(content) || before === "diff") return [];
  const drawn = drawShort(before === "output" ? endOf(content) : content, style);
  return drawn === "" ? [] : [indent(drawn)];
}

/** How a command ended, without its output. */
const endOf = (content: Display): Display =>
  content.kind === "terminal" && content.exitCode !== undefined
    ? { kind: "terminal", text: "", exitCode: content.exitCode }
    : { kind: "terminal", text: "" };

/** The end of a call that ran. */
export type EndEvent = Extract<CallEvent, { type: "tool:execution:complete" | "tool:execution:error" }>;

function drawAnswer(event: Extract<CallEvent, { type: "tool:permission:response" }>, style: Style): string {
  const { answer } = event;
  const said = answer.message ? `: ${oneLine(answer.message)}` : "";
  // A changed call is decided anew, and may be asked about again.
  const verb = answer.behavior === "deny" ? "refused" : answer.input ? "changed" : "allowed";
  const [mark, ink] = verb === "refused" ? (["✗", "red"] as const) : (["✓", "green"] as const);
  const head = `${paint(style, ink, mark)} ${oneLine(event.by)} ${verb} ${oneLine(event.call.tool)}${said}`;
  return event.kept ? `${head}\n${indent(drawKept(event.kept))}` : head;
}

/** The rules that "always" has saved, word for word, and where to remove them. */
function drawKept({ scope, rules, saved, file, notice }: Remembered): string {
  const texts = rules.map(({ text }) => oneLine(text)).join(", ");
  const where = saved ? `saved in ${oneLine(file ?? scope)}` : "for this session";
  return [
    ...(rules.length > 0 ? [`allowed from now on, ${where}: ${texts}`] : []),
    ...(notice ? [oneLine(notice)] : []),
  ].join("\n");
}

/** The call, and its result unless that is drawn below. */
function headOf({ label, title, summary, content }: EndEvent): string {
  const end = title === label ? summary : title;
  if (isWorthDrawing(content) || end === "" || (end === summary && content.kind === "text")) return label;
  const subject = label.slice(label.indexOf(" ") + 1);
  return end.includes(subject) ? end : `${label} — ${end}`;
}

/** The duration, and the approval or rule behind the call if the mode alone did not allow it. */
function noteOf({ outcome: { durationMs, decision, approval } }: EndEvent): string {
  const rule = decision?.decision === "allow" ? decision.rule : undefined;
  const why = approval ? `allowed by ${approval.by}` : rule ? `by the rule ${rule.behavior} ${rule.rule}` : "";
  const time = durationMs === 0 ? "" : `${durationMs < 1 ? "<1" : Math.round(durationMs)} ms`;
  return [time, why].filter(Boolean).map(oneLine).join(" · ");
}

/** Text is for the model and long. People want to see changes, commands and remaining work. */
const isWorthDrawing = ({ kind }: Display): boolean => kind !== "text" && kind !== "markdown" && kind !== "files";

const drawShort = (display: Display, style: Style): string =>
  display.kind === "diff" ? drawDisplay(display, style) : tail(drawDisplay(display, style), ROWS, style);
