import type { ApprovalRequest } from "@haft/core/approval";
import { drawDisplay, indent } from "./display.ts";
import { effectLine } from "./effect-line.ts";
import { oneLine, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** What would happen, in full: a person cannot agree to what they cannot see. */
export function drawQuestion(request: ApprovalRequest, style: Style): string {
  const { title, tool, show, why, destructive, effects, suggestions, origins = [] } = request;
  const [first] = suggestions;
  return [
    `${paint(style, "yellow", "?")} ${paint(style, "bold", oneLine(tool))}: ${oneLine(title)}`,
    ...(destructive ? [paint(style, "red", "! This deletes, overwrites or sends.")] : []),
    indent(drawDisplay(show, style)),
    ...effects.map((effect) => `  - ${effectLine(effect)}`),
    ...origins.map(
      ({ field, value, source }) => `  ${oneLine(field)} = ${oneLine(value)} came from ${oneLine(source)}`,
    ),
    `  ${visible(why)}`,
    ...(first ? [`  a = always (${first.scope}): ${oneLine(first.rules.join(", "))}`] : []),
  ].join("\n");
}
