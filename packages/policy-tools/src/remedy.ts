import type { Decision, RuleRef, TraceStep } from "@haft/core/policy";

/** The deciding step: the first with the decision's outcome and reason. Absent if all steps together allow. */
export const decidingStep = ({ decision, reason, trace }: Decision): TraceStep | undefined =>
  trace.find(({ outcome, note }) => outcome === decision && reason.startsWith(note));

/** How a person gets another decision. One or two sentences, for every decision. */
export function remedyFor(decision: Decision): string {
  const step = decidingStep(decision);
  if (step?.rule) return ofRule(step.rule);
  if (decision.decision === "allow")
    return "Rule it with --ask or --deny, or in settings, to have it asked about or refused.";
  if (decision.decision === "ask" && decision.reason.includes("haft trust"))
    return "Trust the folder once you have looked at its settings: haft trust.";
  if (decision.suggestions.length > 0) return "Allow it by a rule, as below, or confirm it when asked.";
  switch (step?.step) {
    case "protected":
      return "A person confirms it; only mode bypassPermissions does without.";
    case "critical":
      return "A person confirms it, in every mode and whatever the rules say.";
    case "deny":
      return "Nothing allows it here: no rule, no mode, no answer. Run it yourself where it is needed.";
    case "hook":
      return "Change the hook that decides it, in the settings that name it.";
    case "mode":
      return ofMode(decision, step);
    default:
      return "A person confirms it when asked.";
  }
}

function ofRule({ origin, file, line, rule }: RuleRef): string {
  const place = file === undefined ? undefined : `${file}${line === undefined ? "" : `:${line}`}`;
  switch (origin) {
    case "managed":
      return `Only the administrator of this machine can change ${place ?? "the rule"}; other settings cannot.`;
    case "session":
      return place === undefined
        ? "The rule was given in this session and ends with it."
        : "A person allowed it for good; `haft mcp forget SERVER` asks again.";
    case "cli":
      return place === undefined ? `Leave the rule "${rule}" off the command line.` : `Change the rule in ${place}.`;
    default:
      return place === undefined ? `Change the ${origin} rule "${rule}".` : `Change the rule in ${place}.`;
  }
}

function ofMode({ decision }: Decision, { note }: TraceStep): string {
  const mode = /^Mode (\w+)/.exec(note)?.[1];
  if (decision === "ask")
    return "Confirm it when asked. No narrow rule covers all of it; a rule for the whole tool does.";
  return mode === "plan" ? "Leave plan mode first." : "Allow it by a rule, or choose a mode that asks: --mode default.";
}
