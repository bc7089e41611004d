import { contentsText, type Display, errorText } from "../../tool/index.ts";
import { emit, isHeard } from "../emit.ts";
import { type Flight, labelOf, type Stage, titleOf } from "../flight.ts";
import { outcomeOf } from "../outcome.ts";

/** Reports to every interface how the call ended, with a title, one line and something to draw. */
export const present: Stage = (flight: Flight) => {
  const result = flight.result!;
  const type = result.error ? "tool:execution:error" : "tool:execution:complete";
  if (!isHeard(flight, type)) return;
  const content: Display = result.display ?? { kind: "text", text: contentsText(result.content) };
  emit(flight, {
    type,
    outcome: outcomeOf(flight),
    label: labelOf(flight),
    title: result.title ?? titleOf(flight),
    summary: summaryOf(flight),
    content,
  });
};

function summaryOf({ result }: Flight): string {
  const text = result!.error ? errorText(result!.error) : contentsText(result!.content);
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
