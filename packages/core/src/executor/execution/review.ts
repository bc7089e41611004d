import type { Outcome } from "../../approval/index.ts";
import { refusalOf } from "../../approval/outcome.ts";
import type { Decision } from "../../policy/index.ts";
import { type Effect, type ToolError, write } from "../../tool/index.ts";
import { type DecidedRun, policyToolOf, titleOf } from "../call-run.ts";
import { emit } from "../emit.ts";
import type { Manifest, Review, Verdict } from "../journal.ts";

/** A dry run's changes are always held, never applied. */
export const dryRunReview: Review = async () => ({ do: "hold", why: "It was a dry run." });

/**
 * Judges the changes of a command on hold, path by path, like any other call. If all are free, they become real.
 * Otherwise a person sees the diff and decides; without a person they stay held.
 */
export async function holdReview(callRun: DecidedRun, manifest: Manifest, signal: AbortSignal): Promise<Verdict> {
  const effects = manifest.changes.map(({ path, change }) => write(path, change));
  const decision = judgeChanges(callRun, manifest, effects);
  if (decision.decision === "allow") return { do: "commit" };
  if (decision.decision === "deny") return forbidden(decision);
  return verdictOf(await askAbout(callRun, manifest, effects, decision, signal), callRun, manifest, effects, decision);
}

function judgeChanges(callRun: DecidedRun, { changes }: Manifest, effects: readonly Effect[]): Decision {
  const captured = changes.map(({ harmless, doubt }) => ({
    ...(harmless ? { harmless } : {}),
    ...(doubt === undefined ? {} : { doubt }),
  }));
  return callRun.machine.policy().decide({ tool: policyToolOf(callRun), input: callRun.input, effects, captured });
}

async function askAbout(
  callRun: DecidedRun,
  manifest: Manifest,
  effects: readonly Effect[],
  decision: Decision,
  signal: AbortSignal,
): Promise<Outcome> {
  const { machine, call } = callRun;
  if (!machine.approvals) return { status: "unattended", requestId: "" };
  const draft = {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title: `Apply the changes: ${titleOf(callRun)}`,
    // Binds the answer to exactly this result, whenever it comes. Another result is another question.
    input: { ...callRun.observed, held: { digest: manifest.digest } },
    effects,
    show: await manifest.show(),
    why: decision.reason,
    destructive: effects.some((effect) => effect.do === "write" && effect.change === "delete"),
    suggestions: [],
  };
  return machine.approvals.ask(draft, decision, signal, (request) => {
    emit(callRun, { type: "tool:permission:request", request });
  });
}

const KEPT = "The changes are held: the note after the output says how to apply them.";

/** A rule forbids what the command changed. */
function forbidden({ reason, code }: Decision): Verdict {
  const message = `The command's changes are not applied. ${reason}`;
  return { do: "hold", why: reason, error: { code: code ?? "denied_by_rule", message, hint: KEPT } };
}

function verdictOf(
  outcome: Outcome,
  callRun: DecidedRun,
  manifest: Manifest,
  effects: readonly Effect[],
  decision: Decision,
): Verdict {
  if (outcome.status !== "answered") {
    const nobody = outcome.status === "unattended" ? "nobody is there to allow it" : "nobody has allowed it";
    const message = `The command's changes are not applied: that needs approval, and ${nobody}.`;
    const code = outcome.status === "unattended" ? "needs_approval" : refusalOf(outcome, callRun.call.tool)?.code;
    const error: ToolError = { code: code ?? "needs_approval", message, hint: KEPT };
    return { do: "hold", why: `${decision.reason} Applying it needs approval, and ${nobody}.`, error };
  }
  const { answer, by, requestId } = outcome;
  emit(callRun, { type: "tool:permission:response", requestId, answer, by });
  if (answer.behavior === "deny") {
    const error = refusalOf(outcome, callRun.call.tool) ?? { code: "denied_by_user", message: "The user refused it." };
    return { do: "discard", why: error.message, error };
  }
  // A person may take long. Changes that became forbidden meanwhile stay forbidden.
  const now = judgeChanges(callRun, manifest, effects);
  if (now.decision === "deny") return forbidden(now);
  callRun.approval = { by, scope: "once" };
  return { do: "commit" };
}
