import { contentsText, type Display, errorText, type Result } from "../../tool/index.ts";
import { type EndedRun, labelOf, type Stage, titleOf } from "../call-run.ts";
import { emit, isHeard } from "../emit.ts";
import { outcomeOf } from "../outcome.ts";

/** Reports to every interface how the call ended, with a title, one line and something to draw. */
export const present: Stage<EndedRun> = (callRun) => {
  const { machine } = callRun;
  // Before the summary is cut: half a path could not be put in other terms.
  const result = machine.shown?.(callRun.result) ?? callRun.result;
  const type = result.error ? "tool:execution:error" : "tool:execution:complete";
  if (!isHeard(callRun, type)) return;
  const content: Display = result.display ?? { kind: "text", text: contentsText(result.content) };
  emit(callRun, {
    type,
    outcome: outcomeOf(callRun),
    label: labelOf(callRun),
    title: result.title ?? titleOf(callRun),
    summary: summaryOf(result),
    content,
  });
};

function summaryOf(result: Result): string {
  const text = result.error ? errorText(result.error) : contentsText(result.content);
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
