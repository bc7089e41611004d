import type { Effect } from "../../tool/index.ts";
import type { Decision, Situation } from "../decision.ts";
import type { RuleIndex } from "../rule/rule-index.ts";
import { decide } from "./decide.ts";
import type { Machine } from "./machine.ts";

/** Limit of cached decisions. An agent uses some dozens of remote tools; the limit is for hosts that make up names. */
const MOST_KEPT = 1_000;

/**
 * `decide`, with cached answers for plain calls of remote tools. For such a call only the tool and the place of the
 * call matter. So as long as no rule reads inputs, the same question gets the same answer.
 */
export function rememberingDecide(machine: Machine): (asked: Situation) => Decision {
  const { deny, ask, allow } = machine.rules;
  if (machine.extra || [deny, ask, allow, machine.inert].some(readsInputs)) return (asked) => decide(machine, asked);
  const kept = new Map<string, Decision>();
  return (asked) => {
    const plain = plainCall(asked);
    if (!plain) return decide(machine, asked);
    const question = JSON.stringify(plain);
    let known = kept.get(question);
    if (!known) {
      known = decide(machine, { ...plain, input: asked.input });
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(question, known);
    }
    return copyOf(known);
  };
}

const readsInputs = ({ parameters, skills }: RuleIndex): boolean => parameters.size > 0 || skills.size > 0;

/** Number of fields in the effect of a plain call. One with a further field is judged separately, since that field may matter. */
const CALL_FIELDS = 5;

/**
 * Everything relevant in a call whose one effect is to call a server's tool. Reads each field once, so that the cached
 * answer fits exactly these values, even if the caller changes its object later. `undefined` for any other call.
 */
function plainCall({ tool, effects, captured, isDryRun }: Situation): Pick<Situation, "tool" | "effects"> | undefined {
  if (captured || isDryRun || !Array.isArray(effects) || effects.length !== 1) return undefined;
  const only: Effect | null = effects[0];
  if (only?.do !== "call" || Object.keys(only).length !== CALL_FIELDS) return undefined;
  const { basis, server: at, tool: called, change } = only;
  const { name, origin, server, autoExecute = false, aliases = [] } = tool ?? {};
  if (server === undefined || !Array.isArray(aliases)) return undefined;
  const known = [...aliases];
  if (![at, called, basis, change, name, origin, server, autoExecute, ...known].every(isPlain)) return undefined;
  return {
    tool: { name, origin, server, autoExecute, aliases: known },
    effects: [{ do: "call", basis, server: at, tool: called, change }],
  };
}

/** Outside values may be of any type; only these can be a key. */
const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "boolean";

/** A copy for each caller: a host's listener or dialogue may write into the decision that it gets. */
const copyOf = (kept: Decision): Decision => ({
  ...kept,
  trace: kept.trace.map((step) => ({ ...step })),
  suggestions: kept.suggestions.map((one) => ({ ...one, rules: [...one.rules] })),
  grant: { ...kept.grant, effects: kept.grant.effects.map((effect) => ({ ...effect })), holes: [...kept.grant.holes] },
});
