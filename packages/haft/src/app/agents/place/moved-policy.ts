import type { Decision, Policy, Situation, TraceStep, Workspace } from "@haft/core/policy";
import { isWithin } from "@haft/core/tool";
import { isOfMode } from "../confirming.ts";
import { back, inFolder, type Moved } from "./moved.ts";

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
 * A policy for an agent that works in another folder. Its rules hold there as they hold in the original, so a rule
 * that names the original counts for the copy, too. The original is only read.
 */
export function movedPolicy(policy: Policy, move: Moved, extra = keepsOriginal(move)): Policy {
  const { to } = move;
  const inCopy = policy.with({ workspace: workspaceIn(move, policy.workspace), extra });
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
    decide: (situation) => bothOf(inCopy.decide(situation), () => policy.decide(inFolder(back(move), situation))),
    uncovered: (situation) => inCopy.uncovered(situation),
    blanketDeny: (tool) => policy.blanketDeny(tool),
    with({ extra: further, ...changes }) {
      // A copy of the copy: neither is written to from there.
      const all = further ? (situation: Situation) => further(situation) ?? extra(situation) : extra;
      return movedPolicy(policy.with(changes), move, all);
    },
  };
}

/**
 * The stricter decision, in the words for the original; a rule about the original answers a question of the mode. The
 * grant is always for the copy.
 */
function bothOf(own: Decision, original: () => Decision): Decision {
  if (own.decision === "deny") return own;
  const other = original();
  if (other.decision === "deny") return other;
  const isAnswered = isOfMode(own) && (other.decision === "ask" || other.rule?.behavior === "allow");
  return own.decision === "allow" || isAnswered ? { ...other, grant: own.grant } : own;
}

const keepsOriginal =
  ({ from, to }: Moved) =>
  ({ effects }: Situation): TraceStep | undefined => {
    const index = effects.findIndex(
      (effect) => effect.do === "write" && isWithin(from, effect.path) && !isWithin(to, effect.path),
    );
    if (index < 0) return undefined;
    const note = `${from} is read-only for an agent that works in a copy of it. Use relative paths, which are in the copy: its changes are merged when the agent ends.`;
    return { step: "flow", outcome: "deny", effect: index, note };
  };
