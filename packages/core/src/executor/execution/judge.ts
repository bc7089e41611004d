import type { Decision } from "../../policy/index.ts";
import type { ToolError } from "../../tool/index.ts";
import { type AnalysedRun, isHarmlessDryRun, policyToolOf } from "../call-run.ts";

/** The policy's denial, in words for the model. */
export const refusedBy = ({ code = "denied_by_rule", reason, rule }: Decision, what: string): ToolError => ({
  code,
  message: `${what} was refused: ${reason}`,
  advice: "Do not try the same call again; find another way, or ask the user.",
  ...(rule ? { details: { rule } } : {}),
});

/** The policy's answer for the call as it is now. */
export function judge(callRun: AnalysedRun): Decision {
  const { machine, input, effects } = callRun;
  const dry = isHarmlessDryRun(callRun) ? { isDryRun: true as const } : {};
  return machine.policy().decide({ tool: policyToolOf(callRun), input, effects, ...dry });
}
