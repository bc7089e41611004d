import { fail } from "../../tool/index.ts";
import { type DecidedRun, isDryRun, type Stage } from "../call-run.ts";
import type { DispatchedCall } from "../schedule/dispatch.ts";

/** The call as a dispatcher sees it. */
export function dispatchedCall(callRun: DecidedRun): DispatchedCall {
  const { machine, call, entry, batch, approval, fingerprint } = callRun;
  return {
    ...{ call, agent: machine.agent, cwd: machine.cwd() },
    session: { ...machine.session, messageId: batch.messageId },
    tool: entry.tool,
    isBuiltin: entry.source.origin === "builtin",
    input: callRun.raw ?? {},
    effects: callRun.effects,
    grant: callRun.decision.grant,
    traits: callRun.traits,
    ...(approval ? { approval } : {}),
    ...(fingerprint?.contents ? { contents: fingerprint.contents } : {}),
    ticket: callRun.ticket,
    isDryRun: isDryRun(callRun),
    seen: () => machine.seen ?? [],
  };
}

/**
 * Returns the result of this very call if an earlier process of the session had sent it to another machine: it was
 * decided then, and its effects may already be there.
 */
export const reconcile: Stage = (callRun) => {
  const { machine, call, signal, raw } = callRun;
  const context = { signal, progress: () => {}, starting: async () => {}, ask };
  const sent = { call, agent: machine.agent, tool: call.tool, input: raw ?? {}, cwd: machine.cwd() };
  return machine.dispatcher?.earlier?.(sent, context)?.then((found) => {
    if (!found) return undefined;
    callRun.shown.push(...found.shown);
    return { result: found.result };
  });
};

const ask = async (): Promise<never> =>
  fail("needs_approval", "The call asked a question after its host had gone.", "Call again with another id.");
