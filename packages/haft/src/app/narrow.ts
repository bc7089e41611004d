import type { Executor, Machine } from "@haft/core/executor";
import { type Mode, modes, type Policy, type RuleSource } from "@haft/core/policy";
import type { Narrowing } from "./haft.ts";

/** What a narrowed Haft has of its own; the rest it shares. */
export interface Narrowed {
  readonly machine: Machine;
  readonly executor: Executor;
  policy(): Policy;
}

/** Fewer tools, more rules, a stricter mode. What would widen has no effect. */
export function narrow(
  { machine, executor, policy }: Narrowed,
  { tools, rules = {}, mode, agent = machine.agent }: Narrowing,
): Narrowed {
  const chosen = tools && new Set(tools.map((name) => machine.registry.get(name)?.tool.name ?? name));
  const added = (["deny", "ask"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "session", text })),
  );
  const narrowed = remember(policy, (parent) =>
    parent.with({ mode: stricter(parent.mode, mode), rules: [...parent.rules, ...added] }),
  );
  const changes: Partial<Machine> = {
    agent,
    available: (entry, ctx) =>
      chosen && !chosen.has(entry.tool.name)
        ? { absent: "this agent was not given it" }
        : machine.available(entry, ctx),
    policy: narrowed,
    offerContext: () => ({ ...machine.offerContext(), agent, mode: narrowed().mode }),
  };
  return { machine: { ...machine, ...changes }, executor: executor.with(changes), policy: narrowed };
}

/** From the strictest to the loosest. */
const strictness: readonly Mode[] = ["plan", "dontAsk", "default", "undoable", "acceptEdits", "bypassPermissions"];

const stricter = (parent: Mode, wanted: Mode | undefined): Mode =>
  wanted !== undefined && modes.includes(wanted) && strictness.indexOf(wanted) < strictness.indexOf(parent)
    ? wanted
    : parent;

/** Derives once for each parent: a policy is compiled from its rules, and a call should not pay for that. */
function remember<T>(source: () => T, derive: (from: T) => T): () => T {
  let from: T | undefined;
  let derived: T | undefined;
  return () => {
    const now = source();
    if (derived === undefined || now !== from) derived = derive(now);
    from = now;
    return derived;
  };
}
