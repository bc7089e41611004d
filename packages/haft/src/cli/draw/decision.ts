import type { Explanation } from "@haft/core/executor";
import type { TraceStep } from "@haft/core/policy";
import { effectLine } from "./effect-line.ts";
import { oneLine, visible } from "./sanitize.ts";
import { type Ink, paint, type Style } from "./style.ts";

const inks: Readonly<Record<string, Ink>> = { allow: "green", ask: "yellow", deny: "red" };

/** What would be decided about a call, and every step on the way there. */
export function drawExplanation({ tool, effects, decision, error }: Explanation, style: Style): string {
  const answer = decision?.decision ?? "deny";
  const reason = decision?.reason ?? error?.message ?? "";
  return [
    `${paint(style, inks[answer] ?? "red", answer)} ${paint(style, "bold", oneLine(tool))}: ${visible(reason)}`,
    ...(error?.hint ? [visible(error.hint)] : []),
    ...section(
      "Effects",
      effects.map((effect, index) => `${index + 1}. ${effectLine(effect)}`),
      style,
    ),
    ...section(
      "Steps",
      (decision?.trace ?? []).map((step) => stepLine(step, style)),
      style,
    ),
    ...section(
      "Would not ask again with",
      (decision?.suggestions ?? []).map(
        ({ rules, label }) => `--allow '${oneLine(rules.join("' --allow '"))}'  ${oneLine(label)}`,
      ),
      style,
    ),
  ].join("\n");
}

function stepLine({ step, outcome, effect, rule, note }: TraceStep, style: Style): string {
  const about = effect === undefined ? "" : ` [${effect + 1}]`;
  const from = rule?.file ? ` (${rule.file}${rule.line === undefined ? "" : `:${rule.line}`})` : "";
  return `${paint(style, inks[outcome] ?? "dim", outcome)} ${step}${about}: ${oneLine(note)}${oneLine(from)}`;
}

const section = (title: string, lines: readonly string[], style: Style): string[] =>
  lines.length === 0 ? [] : [paint(style, "dim", title), ...lines.map((line) => `  ${line}`)];
