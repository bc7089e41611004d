import type { Broker } from "../../approval/index.ts";

/**
 * The `approvals` of a machine whose host asks people itself. It knows a yes only for a call that the adapter has just
 * vouched for, once, and only for the question whether that call may run at all.
 */
export interface HostApprovals extends Pick<Broker, "ask"> {
  /** The host's person allowed this call. Counts for its next question. */
  vouch(callId: string): void;
  /** The call has ended: what was not used is void. */
  withdraw(callId: string): void;
}

export interface HostApprovalsOptions {
  /** Who is written down as having said yes. Default `host`. */
  readonly by?: string;
  /** Gets every other question: one in the middle of a call, say. Default: nobody is there. */
  readonly otherwise?: Pick<Broker, "ask">;
}

export function hostApprovals({ by = "host", otherwise }: HostApprovalsOptions = {}): HostApprovals {
  const vouched = new Set<string>();
  return {
    vouch: (callId) => void vouched.add(callId),
    withdraw: (callId) => void vouched.delete(callId),
    async ask(draft, decision, signal, asked) {
      const requestId = `${by}:${draft.callId}`;
      // A question in the middle of a call comes with the call's own decision; this yes was not about that.
      if (decision.decision === "ask" && vouched.delete(draft.callId)) {
        asked?.({ ...draft, id: requestId });
        return { status: "answered", requestId, answer: { behavior: "allow" }, by };
      }
      return (await otherwise?.ask(draft, decision, signal, asked)) ?? { status: "unattended", requestId };
    },
  };
}
