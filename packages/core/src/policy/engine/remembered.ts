import type { Effect } from "../../tool/index.ts";
import type { Decision, Situation } from "../decision.ts";
import type { RuleIndex } from "../rule/rule-index.ts";
import { decide } from "./decide.ts";
import type { Machine } from "./machine.ts";

/** Decisions that are kept. An agent uses some dozens of remote tools; the bound is for hosts that make up names. */
const MOST_KEPT = 1_000;

/**
 * `decide`, with the answers for plain calls of remote tools kept: of such a call nothing counts but the tool and where
 * it is called, so as long as no rule reads inputs the answer to the same question is the same.
 */
export function rememberingDecide(machine: Machine): (asked: Situation) => Decision {
  const { deny, ask, allow } = machine.rules;
  if (machine.extra || [deny, ask, allow, machine.inert].some(readsInputs)) return (asked) => decide(machine, asked);
  const kept = new Map<string, Decision>();
  return (asked) => {
    const question = plainCall(asked);
    if (question === undefined) return decide(machine, asked);
    const known = kept.get(question);
    if (known) return known;
    // What is kept must not change with what its maker still holds.
    const decision = decide(machine, { ...asked, effects: asked.effects.map((effect) => ({ ...effect })) });
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(question, decision);
    return decision;
  };
}

const readsInputs = ({ parameters, skills }: RuleIndex): boolean => parameters.size > 0 || skills.size > 0;

/** All that counts of a call whose one effect is to call a server's tool, for a key; `undefined` for any other. */
function plainCall({ tool, effects, captured, isDryRun }: Situation): string | undefined {
  if (captured || isDryRun || !Array.isArray(effects) || effects.length !== 1) return undefined;
  const effect: Effect | null = effects[0];
  if (effect?.do !== "call" || tool?.server === undefined) return undefined;
  const { name, origin, server, autoExecute = false, aliases = [] } = tool;
  if (!Array.isArray(aliases)) return undefined;
  const parts = [
    effect.server,
    effect.tool,
    effect.basis,
    effect.change,
    name,
    origin,
    server,
    autoExecute,
    ...aliases,
  ];
  return parts.every(isPlain) ? JSON.stringify(parts) : undefined;
}

/** What comes from elsewhere may be anything: as something else it is no key. */
const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "boolean";
