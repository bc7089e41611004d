import type { Decision, PolicyTool } from "../../policy/index.ts";
import { activityOf, type Objection, toToolError } from "../../tool/index.ts";
import { emit } from "../emit.ts";
import { blindPorts } from "../execution/bound-ports.ts";
import { describeSafely, effectContext, type Flight, refuse, type Stage, titleOf } from "../flight.ts";
import { askAboutRepetition } from "./repetition.ts";

/** What the policy says. A denial ends the call; an ask is the next stage's business. */
export const decide: Stage = async (flight: Flight) => {
  const objected = withObjection(judge(flight), await objectionOf(flight));
  const decision = askAboutRepetition(flight, withHook(objected, flight.hookSays));
  flight.decision = decision;
  const activity = describeSafely(flight)?.activity ?? activityOf(flight.effects);
  emit(flight, { type: "tool:call:decided", decision, effects: flight.effects, title: titleOf(flight), activity });
  if (decision.decision !== "deny") return;
  return refuse({
    code: decision.code ?? "denied_by_rule",
    message: `${flight.call.tool} was refused: ${decision.reason}`,
    hint: "Do not try the same call again; find another way, or ask the user.",
    ...(decision.rule ? { details: { rule: decision.rule } } : {}),
  });
};

/** The policy's answer for the call as it stands. */
export function judge(flight: Flight): Decision {
  return flight.machine.policy().decide({ tool: policyToolOf(flight), input: flight.input, effects: flight.effects });
}

/** The call's tool as rules and hooks know it. */
export function policyToolOf(flight: Flight): PolicyTool {
  const { tool, source } = flight.entry!;
  const autoExecute = flight.machine.autoExecute?.(tool.name) ?? tool.autoExecute;
  return {
    name: tool.name,
    origin: source.origin,
    ...(tool.aliases ? { aliases: tool.aliases } : {}),
    ...(autoExecute === undefined ? {} : { autoExecute }),
    ...(source.origin === "mcp" ? { server: source.name } : {}),
  };
}

async function objectionOf(flight: Flight): Promise<Objection | undefined> {
  const { tool } = flight.entry!;
  if (!tool.object) return undefined;
  try {
    return await tool.object(flight.input, effectContext(flight, blindPorts(flight.machine)));
  } catch (thrown) {
    return { behavior: "ask", reason: `${tool.name} could not judge this call: ${toToolError(thrown).message}` };
  }
}

/** A tool may tighten what the policy says, never loosen it. */
function withObjection(decision: Decision, objection: Objection | undefined): Decision {
  if (!objection || decision.decision === "deny" || decision.decision === objection.behavior) return decision;
  const { behavior: outcome, reason } = objection;
  const trace = [...decision.trace, { step: "default" as const, outcome, note: reason }];
  return { ...decision, decision: outcome, reason, trace, ...(outcome === "deny" ? { code: "denied_by_rule" } : {}) };
}

/** A hook may ask where the policy allows. Its yes covers only what nobody but the default would ask about. */
function withHook(decision: Decision, says: Flight["hookSays"]): Decision {
  if (!says || decision.decision === "deny" || decision.decision === says.decision) return decision;
  if (says.decision === "allow" && isFirm(decision)) return decision;
  const step = { step: "hook" as const, outcome: says.decision, note: `${says.by}: ${says.reason}` };
  return { ...decision, decision: says.decision, reason: says.reason, trace: [...decision.trace, step] };
}

/** Whether a rule, a protected path, a critical removal or information flow wants a person. */
const isFirm = (decision: Decision): boolean =>
  decision.trace.some(
    ({ step, outcome }) => outcome === "ask" && ["ask", "protected", "critical", "flow"].includes(step),
  );
