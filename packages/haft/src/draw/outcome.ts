import type { CallOutcome } from "@haft/core/executor";
import { type Content, contentsText, type Result } from "@haft/core/tool";
import { below, drawDisplay, indent } from "./display.ts";
import { withShownPaths } from "./place.ts";
import { ruleLine } from "./rule-line.ts";
import { oneLine, programOutput, visible } from "./sanitize.ts";
import { paint, type Style } from "./style.ts";

/** The body of a result for people: the tool's display, else the text for the model. */
export function drawResult({ display, content, spilled }: Result, style: Style): string {
  const body = display ? drawDisplay(display, style) : drawContent(content, style);
  const note = spilled
    ? paint(style, "dim", `The whole result is in ${oneLine(spilled.path)} (${oneLine(spilled.shown)}).`)
    : "";
  return [body, note].filter((part) => part !== "").join("\n");
}

/** An error with its remedy and, if a rule decided, the rule with its location. */
export function drawError(
  { result: { error }, status, decision }: Pick<CallOutcome, "result" | "status" | "decision">,
  style: Style,
): string {
  if (!error) return "";
  // The reason for a question explains a refusal, but not a failure of the call itself.
  const refused = status === "denied" && decision?.decision !== "allow" ? decision : undefined;
  return [
    `${paint(style, "red", error.code)}: ${below(visible(withShownPaths(style, error.message)))}`,
    ...(refused && !error.message.includes(refused.reason)
      ? [indent(visible(withShownPaths(style, refused.reason)))]
      : []),
    ...ruleLine(refused?.rule, `${error.message}${refused?.reason}`),
    ...(error.hint ? [below(visible(withShownPaths(style, error.hint)))] : []),
  ].join("\n");
}

function drawContent(content: readonly Content[], style: Style): string {
  return content
    .map((block) => {
      if (block.type === "image" || block.type === "audio" || block.type === "document")
        return paint(style, "dim", `[${block.type}, ${oneLine(block.mediaType)}]`);
      return programOutput(contentsText([block]), style.color).replace(/\n+$/, "");
    })
    .join("\n");
}
