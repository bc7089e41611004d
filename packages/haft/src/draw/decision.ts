import type { Explanation } from "@haft/core/executor";
import type { Suggestion, TraceStep } from "@haft/core/policy";
import { decidingStep, remedyFor } from "@haft/policy-tools/remedy";
import { below } from "./display.ts";
import { effectLine } from "./effect-line.ts";
import { oneLine, visible } from "./sanitize.ts";
import { type Ink, paint, type Style } from "./style.ts";

const inks: Readonly<Record<string, Ink>> = { allow: "green", ask: "yellow", deny: "red" };

/** Shows the decision about a call, and every step towards it. */
export function drawExplanation({ tool, effects, decision, error }: Explanation, style: Style): string {
  const answer = error ? "deny" : (decision?.decision ?? "deny");
  const reason = error?.message ?? decision?.reason ?? "";
  const deciding = decision && decidingStep(decision);
  return [
    `${paint(style, inks[answer] ?? "red", answer)} ${paint(style, "bold", oneLine(tool))}: ${below(visible(reason))}`,
    ...(error?.hint ? [below(visible(error.hint))] : []),
    ...section(
      "The decision without that",
      error && decision
        ? [`${paint(style, inks[decision.decision] ?? "red", decision.decision)}: ${below(visible(decision.reason))}`]
        : [],
      style,
    ),
    ...section(
      "Effects",
      effects.map((effect, index) => `${index + 1}. ${effectLine(effect)}`),
      style,
    ),
    ...section(
      "Steps",
      (decision?.trace ?? []).map((step) => stepLine(step, step === deciding, style)),
      style,
    ),
    ...section("To change it", decision && !error ? [oneLine(remedyFor(decision))] : [], style),
    ...section("Rule that would allow it", ruleLines(error ? [] : (decision?.suggestions ?? [])), style),
  ].join("\n");
}

/** An arrow marks the deciding step. */
function stepLine({ step, outcome, effect, rule, note }: TraceStep, isDeciding: boolean, style: Style): string {
  const about = effect === undefined ? "" : ` [${effect + 1}]`;
  const by = step === outcome ? (rule ? "rule" : "guard") : step;
  return `${isDeciding ? "→" : " "} ${paint(style, inks[outcome] ?? "dim", outcome)} ${by}${about}: ${oneLine(note)}`;
}

/** Each set of rules once, with all scopes where it can be saved. */
function ruleLines(suggestions: readonly Suggestion[]): string[] {
  const byRules = Map.groupBy(suggestions, ({ rules }) => oneLine(rules.map((rule) => `--allow '${rule}'`).join(" ")));
  return [...byRules].map(([rules, same]) => `${rules}  (${same.map(({ scope }) => PLACES[scope]).join(", ")})`);
}

const PLACES: Readonly<Record<Suggestion["scope"], string>> = {
  session: "this session",
  project: "this project",
  user: "everywhere",
  server: "this server",
  tool: "this tool",
};

const section = (title: string, lines: readonly string[], style: Style): string[] =>
  lines.length === 0 ? [] : [paint(style, "dim", title), ...lines.map((line) => `  ${line}`)];
