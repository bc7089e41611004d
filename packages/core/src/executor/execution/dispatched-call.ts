import { type CallRun, isDryRun } from "../call-run.ts";
import type { DispatchedCall } from "../schedule/dispatch.ts";

/** The call as a dispatcher sees it. */
export function dispatchedCall(callRun: CallRun): DispatchedCall {
  const { machine, call, entry, batch, approval, fingerprint } = callRun;
  return {
    ...{ call, agent: machine.agent, cwd: machine.cwd() },
    session: { ...machine.session, messageId: batch.messageId },
    tool: entry!.tool,
    isBuiltin: entry!.source.origin === "builtin",
    input: callRun.raw ?? {},
    effects: callRun.effects,
    grant: callRun.decision!.grant,
    traits: callRun.traits!,
    ...(approval ? { approval } : {}),
    ...(fingerprint?.contents ? { contents: fingerprint.contents } : {}),
    ticket: callRun.ticket,
    isDryRun: isDryRun(callRun),
    seen: () => machine.seen ?? [],
  };
}
