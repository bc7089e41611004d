import type { Remembered } from "@haft/core/approval";
import type { CallEvent } from "@haft/core/executor";
import { indent } from "../display.ts";
import { drawError } from "../outcome.ts";
import { oneLine } from "../sanitize.ts";
import { paint, type Style } from "../style.ts";
import { type DrawnBefore, type EndedCall, endedBody, endedLine, failedLine } from "./ended-call.ts";

export type { DrawnBefore };

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
      return [endedLine(endedOf(event), style), ...endedBody(event, style, before)].join("\n");
    case "tool:execution:error":
      return [
        failedLine(endedOf(event), style),
        ...(event.content.kind === "terminal" ? endedBody(event, style, before) : []),
        indent(drawError(event.outcome, style)),
      ].join("\n");
    default:
      return undefined;
  }
}

/** The end of a call that ran. */
export type EndEvent = Extract<CallEvent, { type: "tool:execution:complete" | "tool:execution:error" }>;

function drawAnswer(event: Extract<CallEvent, { type: "tool:permission:response" }>, style: Style): string {
  const { answer } = event;
  const said = answer.message ? `: ${oneLine(answer.message)}` : "";
  // A changed call is decided again, and may ask again.
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

function endedOf(event: EndEvent): EndedCall {
  const { durationMs, decision, approval } = event.outcome;
  const rule = decision?.decision === "allow" ? decision.rule : undefined;
  return {
    ...event,
    durationMs,
    ...(approval ? { approvedBy: approval.by } : {}),
    ...(rule ? { rule: `${rule.behavior} ${rule.rule}` } : {}),
  };
}
