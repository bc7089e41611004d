import type { Clock } from "../tool/index.ts";
import { NoAnswer, within } from "./bounded.ts";
import type { BeforeOutcome, Hook, HookEvent } from "./hook.ts";

/** The combined answer of all hooks before a call. */
export interface Folded {
  readonly decision?: "allow" | "ask" | "deny" | "defer";
  readonly reason?: string;
  /** The hook that decided. */
  readonly by?: string;
  /** Set when the turn ends here: the reason, and the hook that gave it. */
  readonly stop?: { readonly reason: string; readonly by: string };
  readonly input?: { readonly value: unknown };
  readonly context: readonly string[];
}

const strictness = { allow: 0, ask: 1, defer: 2, deny: 3 } as const;

/**
 * Combines many answers into one: deny beats defer beats ask beats allow. The first hook of the strictest kind gives
 * the reason, the last hook that replaces the input wins, the first that ends the turn gives its reason. Pure, so that
 * the order of precedence is defined here and nowhere else.
 */
export function foldBefore(said: readonly { readonly hook: string; readonly outcome: BeforeOutcome }[]): Folded {
  let folded: Folded = { context: [] };
  for (const { hook, outcome } of said) {
    if (outcome.context) folded = { ...folded, context: [...folded.context, outcome.context] };
    if ("input" in outcome) folded = { ...folded, input: { value: outcome.input } };
    const by = outcome.by ?? hook;
    if (outcome.stop !== undefined && !folded.stop) folded = { ...folded, stop: { reason: outcome.stop, by } };
    const { decision } = outcome;
    if (!decision || (folded.decision && strictness[decision] <= strictness[folded.decision])) continue;
    const { reason: _, ...rest } = folded;
    folded = { ...rest, decision, by, ...(outcome.reason === undefined ? {} : { reason: outcome.reason }) };
  }
  return folded;
}

/**
 * Runs every matching hook in parallel. A failed guard must not allow the call: a hook that throws asks, and one that
 * times out denies.
 */
export async function askBefore(hooks: readonly Hook[], event: HookEvent, clock: Clock): Promise<Folded> {
  const asked = hooks.filter((hook) => hook.before && matches(hook, event));
  if (asked.length === 0) return { context: [] };
  const said = await Promise.all(
    asked.map(async (hook) => ({ hook: hook.name, outcome: await outcomeOf(hook, event, clock) })),
  );
  return foldBefore(said);
}

async function outcomeOf(hook: Hook, event: HookEvent, clock: Clock): Promise<BeforeOutcome> {
  try {
    const outcome = await within(hook, clock, event.signal, (signal) => hook.before?.({ ...event, signal }));
    if (outcome === undefined || outcome === null) return {};
    return isOutcome(outcome) ? outcome : { decision: "ask", reason: `Hook "${hook.name}" gave an invalid answer.` };
  } catch (thrown) {
    if (event.signal.aborted) throw thrown;
    if (thrown instanceof NoAnswer) return { decision: "deny", reason: thrown.message };
    return { decision: "ask", reason: `Hook "${hook.name}" failed: ${messageOf(thrown)}` };
  }
}

const isOutcome = (outcome: BeforeOutcome): boolean =>
  typeof outcome === "object" && (outcome.decision === undefined || Object.hasOwn(strictness, outcome.decision));

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** A matcher that throws counts as a match: the hook then runs, which is the safe choice. */
export function matches(hook: Hook, event: HookEvent): boolean {
  try {
    return hook.matches?.(event) ?? true;
  } catch {
    return true;
  }
}
