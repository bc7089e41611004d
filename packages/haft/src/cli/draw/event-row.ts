import type { CallEvent } from "@haft/core/executor";
import type { Display } from "@haft/core/tool";
import { drawDisplay, indent, tail } from "./display.ts";
import { drawError } from "./outcome.ts";
import { oneLine } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** Lines of a result that are shown while an agent works; the whole is in the log. */
const ROWS = 12;

/** What a person is told of an event, as lines that are only ever appended; `undefined`: nothing. */
export function drawEvent(event: CallEvent, style: Style): string | undefined {
  switch (event.type) {
    case "tool:execution:start":
      return `${paint(style, "green", "●")} ${oneLine(event.title)}`;
    case "tool:execution:complete":
      return indent(
        isWorthDrawing(event.content) ? drawShort(event.content, style) : paint(style, "dim", `└ ${endOf(event)}`),
      );
    case "tool:execution:error":
      return [
        `${paint(style, "red", "✗")} ${oneLine(event.title)}`,
        ...(event.content.kind === "terminal" ? [indent(drawShort(event.content, style))] : []),
        indent(drawError(event.outcome, style)),
      ].join("\n");
    default:
      return undefined;
  }
}

/** Text is for the model and long; what people follow is what changed, what ran and what is left to do. */
const isWorthDrawing = ({ kind }: Display): boolean => kind !== "text" && kind !== "markdown" && kind !== "files";

const drawShort = (display: Display, style: Style): string =>
  display.kind === "diff" ? drawDisplay(display, style) : tail(drawDisplay(display, style), ROWS, style);

/** The title that the tool gave at the end says more than the first line of its text. */
function endOf({
  title,
  summary,
  outcome,
}: Extract<CallEvent, { type: "tool:execution:complete" | "tool:execution:error" }>): string {
  return oneLine(outcome.result.title === undefined ? summary : title);
}
