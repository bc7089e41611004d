import type { Outcome } from "../../approval/index.ts";
import { refusalOf } from "../../approval/outcome.ts";
import type { Decision } from "../../policy/index.ts";
import { basisOf } from "../../registry/source.ts";
import type { Bound, Effect } from "../../tool/index.ts";
import { type DecidedRun, policyToolOf, titleOf } from "../call-run.ts";
import { emit } from "../emit.ts";
import { settleEffects } from "../settle-effects.ts";
import { checkContents, contentsOf } from "./contents.ts";

/**
 * Asks a person for exactly the missing effects. The request is based on a guess from a program's output, so only a
 * person can approve it: no mode and no allow rule does. If the policy denies an effect, nobody is asked.
 */
export async function supplyMissing(
  callRun: DecidedRun,
  missing: readonly Effect[],
  why: string,
  signal: AbortSignal,
): Promise<Bound | undefined> {
  const { machine, call } = callRun;
  const { approvals } = machine;
  if (!approvals || callRun.decision.grant.hold) return undefined;
  const settled = await settleFurther(callRun, missing);
  const effects = [...callRun.effects, ...settled];
  const decision = machine.policy().decide({ tool: policyToolOf(callRun), input: callRun.input, effects });
  if (decision.decision === "deny") return undefined;
  const draft = {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title: `Run again with more rights: ${titleOf(callRun)}`,
    input: { ...callRun.observed, missing: settled },
    effects: settled,
    show: { kind: "text", text: why } as const,
    why: "The sandbox refused access that the command seems to need. It would run again from the beginning.",
    destructive: false,
    suggestions: [],
  };
  const contents = await contentsOf(callRun);
  const asked = { ...decision, decision: "ask" as const, reason: draft.why, suggestions: [] };
  const outcome: Outcome = await approvals.ask(
    { ...draft, ...(contents ? { contents } : {}) },
    asked,
    signal,
    (request) => {
      emit(callRun, { type: "tool:permission:request", request });
    },
  );
  if (outcome.status !== "answered") return undefined;
  const { answer, by, requestId } = outcome;
  emit(callRun, { type: "tool:permission:response", requestId, answer, by });
  if (refusalOf(outcome, call.tool) || answer.behavior !== "allow") return undefined;
  await checkContents(callRun, contents, "asked");
  // The log contains the final grant.
  callRun.effects = effects;
  callRun.decision = { ...decision, decision: "allow" };
  return decision.grant;
}

/** The policy's answer to effects that a call wants beyond the declared ones, judged separately. */
export async function decideFurther(callRun: DecidedRun, further: readonly Effect[]): Promise<Decision> {
  const effects = await settleFurther(callRun, further);
  return callRun.machine.policy().decide({ tool: policyToolOf(callRun), input: callRun.input, effects });
}

const settleFurther = ({ machine, entry }: DecidedRun, further: readonly Effect[]) =>
  settleEffects(further, {
    cwd: machine.cwd(),
    basis: basisOf(entry.source),
    locate: (path) => machine.ports.files.locate(path),
  });
