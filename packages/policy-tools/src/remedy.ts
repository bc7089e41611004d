import type { Decision, RuleRef, TraceStep } from "@haft/core/policy";

/** The deciding step: the first with the decision's outcome and reason. Absent if all steps together allow. */
export const decidingStep = ({ decision, reason, trace }: Decision): TraceStep | undefined =>
  trace.find(({ outcome, note }) => outcome === decision && reason.startsWith(note));

/** How a person gets another decision. One or two sentences, for every decision. */
export function remedyFor(decision: Decision): string {
  const step = decidingStep(decision);
  if (step?.rule) return ofRule(step.rule);
  if (decision.decision === "allow") return "Add an ask or deny rule: --ask RULE, --deny RULE, or in the settings.";
  if (decision.decision === "ask" && decision.reason.includes("haft trust"))
    return "Look at the folder's settings, then trust it: haft trust.";
  if (decision.suggestions.length > 0) return "Confirm it when asked, or allow it with the rule below.";
  switch (step?.step) {
    case "protected":
      return "Needs confirmation, except in mode bypassPermissions.";
    case "critical":
      return "Needs confirmation in every mode, whatever the rules say.";
    case "deny":
      return "Nothing can allow it here. Run it yourself if it is needed.";
    case "hook":
      return "Change the hook that decided it, in the settings that define it.";
    case "mode":
      return ofMode(decision, step);
    default:
      return "Confirm it when asked.";
  }
}

function ofRule({ origin, file, line, rule }: RuleRef): string {
  const place = file === undefined ? undefined : `${file}${line === undefined ? "" : `:${line}`}`;
  switch (origin) {
    case "managed":
      return `Only the administrator of this machine can change ${place ?? "the rule"}; other settings cannot.`;
    case "session":
      return place === undefined
        ? "The rule was added in this session and ends with it."
        : "It was allowed permanently; `haft mcp forget SERVER` makes Haft ask again.";
    case "cli":
      return place === undefined ? `Remove the rule "${rule}" from the command line.` : `Change the rule in ${place}.`;
    default:
      return place === undefined ? `Change the ${origin} rule "${rule}".` : `Change the rule in ${place}.`;
  }
}

function ofMode({ decision }: Decision, { note }: TraceStep): string {
  const mode = /^Mode (\w+)/.exec(note)?.[1];
  if (decision === "ask") return "Confirm it when asked. Only a rule for the whole tool would cover it.";
  return mode === "plan"
    ? "Leave plan mode first."
    : "Allow it with a rule, or choose a mode that asks: --mode default.";
}
