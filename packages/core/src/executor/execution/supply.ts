import type { Outcome } from "../../approval/index.ts";
import { refusalOf } from "../../approval/outcome.ts";
import type { Decision } from "../../policy/index.ts";
import { basisOf } from "../../registry/source.ts";
import type { Bound, Effect } from "../../tool/index.ts";
import { emit } from "../emit.ts";
import { type Flight, policyToolOf, titleOf } from "../flight.ts";
import { settleEffects } from "../settle-effects.ts";
import { checkContents, contentsOf } from "./contents.ts";

/**
 * Asks a person for exactly the missing effects. The request is based on a guess from a program's output, so only a
 * person can approve it: no mode and no allow rule does. If the policy denies an effect, nobody is asked.
 */
export async function supplyMissing(
  flight: Flight,
  missing: readonly Effect[],
  why: string,
  signal: AbortSignal,
): Promise<Bound | undefined> {
  const { machine, call } = flight;
  const { approvals } = machine;
  if (!approvals || flight.decision!.grant.hold) return undefined;
  const settled = await settleFurther(flight, missing);
  const effects = [...flight.effects, ...settled];
  const decision = machine.policy().decide({ tool: policyToolOf(flight), input: flight.input, effects });
  if (decision.decision === "deny") return undefined;
  const draft = {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title: `Run again with more: ${titleOf(flight)}`,
    input: { ...flight.observed, missing: settled },
    effects: settled,
    show: { kind: "text", text: why } as const,
    why: "The sandbox refused something that the command seems to need. It would run once more, from its beginning.",
    destructive: false,
    suggestions: [],
  };
  const contents = await contentsOf(flight);
  const asked = { ...decision, decision: "ask" as const, reason: draft.why, suggestions: [] };
  const outcome: Outcome = await approvals.ask(
    { ...draft, ...(contents ? { contents } : {}) },
    asked,
    signal,
    (request) => {
      emit(flight, { type: "tool:permission:request", request });
    },
  );
  if (outcome.status !== "answered") return undefined;
  const { answer, by, requestId } = outcome;
  emit(flight, { type: "tool:permission:response", requestId, answer, by });
  if (refusalOf(outcome, call.tool) || answer.behavior !== "allow") return undefined;
  await checkContents(flight, contents, "asked");
  // The log contains the final grant.
  flight.effects = effects;
  flight.decision = { ...decision, decision: "allow" };
  return decision.grant;
}

/** The policy's answer to effects that a call wants beyond the declared ones, judged separately. */
export async function decideFurther(flight: Flight, further: readonly Effect[]): Promise<Decision> {
  const effects = await settleFurther(flight, further);
  return flight.machine.policy().decide({ tool: policyToolOf(flight), input: flight.input, effects });
}

const settleFurther = ({ machine, entry }: Flight, further: readonly Effect[]) =>
  settleEffects(further, {
    cwd: machine.cwd(),
    basis: basisOf(entry!.source),
    locate: (path) => machine.ports.files.locate(path),
  });
