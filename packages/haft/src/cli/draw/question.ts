import type { ApprovalRequest } from "@haft/core/approval";
import { drawDisplay, indent } from "./display.ts";
import { effectLine } from "./effect-line.ts";
import { oneLine, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** What would happen, in full, who wants it and why it is asked: a person cannot agree to what they cannot see. */
export function drawQuestion(request: ApprovalRequest, style: Style): string {
  const { title, summary, tool, show, why, destructive, effects, agent, rule, origins = [] } = request;
  const place = rule?.file ? ` in ${rule.file}${rule.line === undefined ? "" : `:${rule.line}`}` : "";
  return [
    `${paint(style, "yellow", "?")} ${paint(style, "bold", oneLine(tool))}: ${oneLine(title)}`,
    ...(agent.id === "main" ? [] : [`  asked by the agent ${oneLine(agent.name ?? agent.id)}`]),
    ...(summary ? [`  ${oneLine(summary)}`] : []),
    ...(destructive ? [paint(style, "red", "! This deletes, overwrites or sends.")] : []),
    indent(drawDisplay(show, style)),
    ...effects.map((effect) => `  - ${effectLine(effect)}`),
    ...origins.map(
      ({ field, value, source }) => `  ${oneLine(field)} = ${oneLine(value)} came from ${oneLine(source)}`,
    ),
    `  ${visible(why)}`,
    ...(rule && !why.includes(rule.rule)
      ? [`  by the rule ${rule.behavior} ${oneLine(rule.rule)} (${rule.origin}${oneLine(place)})`]
      : []),
  ].join("\n");
}
