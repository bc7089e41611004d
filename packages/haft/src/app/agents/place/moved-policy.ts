import type { Decision, Policy, Situation, TraceStep, Workspace } from "@haft/core/policy";
import { type Effect, isWithin } from "@haft/core/tool";

/** The folder of an agent that works apart, and the folder that it stands for. Absolute, real. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

const moved = ({ from, to }: Moved, path: string): string =>
  isWithin(from, path) ? to + path.slice(from.length) : path;

/** The workspace of an agent that works in another folder. It may read the original. */
const workspaceIn = (move: Moved, workspace: Workspace): Workspace => ({
  ...workspace,
  root: moved(move, workspace.root),
  startedIn: moved(move, workspace.startedIn),
  cwd: moved(move, workspace.cwd),
  readable: [...(workspace.readable ?? []), move.from],
});

/**
 * A policy for an agent that works in another folder. Its rules hold there as they hold in the original, so an
 * absolute rule about the original counts for the copy, too. The original is only read.
 */
export function movedPolicy(policy: Policy, move: Moved): Policy {
  const { from, to } = move;
  const inCopy = policy.with({ workspace: workspaceIn(move, policy.workspace), extra: keepsOriginal(move) });
  const original = (situation: Situation): Situation => ({
    ...situation,
    effects: situation.effects.map((effect) => effectIn({ from: to, to: from }, effect)),
  });
  return {
    get mode() {
      return policy.mode;
    },
    get workspace() {
      return inCopy.workspace;
    },
    get rules() {
      return policy.rules;
    },
    get problems() {
      return policy.problems;
    },
    get generation() {
      return `${policy.generation}|${to}`;
    },
    decide: (situation) => stricter(inCopy.decide(situation), () => policy.decide(original(situation))),
    uncovered: (situation) => inCopy.uncovered(situation),
    blanketDeny: (tool) => policy.blanketDeny(tool),
    with: (changes) => movedPolicy(policy.with(changes), move),
  };
}

/** The grant is always for the effects in the copy. */
function stricter(own: Decision, original: () => Decision): Decision {
  if (own.decision === "deny") return own;
  const other = original();
  if (other.decision === "deny") return other;
  return own.decision === "allow" && other.decision === "ask" ? { ...other, grant: own.grant } : own;
}

const effectIn = (move: Moved, effect: Effect): Effect =>
  effect.do === "read" || effect.do === "write" ? { ...effect, path: moved(move, effect.path) } : effect;

const keepsOriginal =
  ({ from, to }: Moved) =>
  ({ effects }: Situation): TraceStep | undefined => {
    const index = effects.findIndex(
      (effect) => effect.do === "write" && isWithin(from, effect.path) && !isWithin(to, effect.path),
    );
    if (index < 0) return undefined;
    const note = `This agent works in a copy, ${to}; ${from} is read-only. Use the path in the copy: its changes are merged when the agent ends.`;
    return { step: "flow", outcome: "deny", effect: index, note };
  };
