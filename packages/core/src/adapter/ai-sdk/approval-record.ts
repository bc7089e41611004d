import type { AiSdkMessage } from "./wire.ts";

/**
 * Haft's record of its own questions. An "approved" in the message history comes from the client. It counts only if the
 * record shows that this very call, with this very input, was asked about. `question` is the call's tool and input as
 * text.
 */
export interface ApprovalRecord {
  asked(callId: string, question: string): void;
  has(callId: string, question: string): boolean;
  /** Consumes a yes: it is valid once. */
  spend(callId: string): void;
}

/** A record that lasts as long as the process. */
export function approvalRecord(): ApprovalRecord {
  const questions = new Map<string, string>();
  return {
    asked: (callId, question) => void questions.set(callId, question),
    has: (callId, question) => questions.get(callId) === question,
    spend: (callId) => void questions.delete(callId),
  };
}

/** The answer to the approval request of this call in the last message, where the AI SDK also looks for it. */
export function answerIn(messages: readonly AiSdkMessage[], callId: string): "approved" | "denied" | undefined {
  const last = messages.at(-1);
  if (last?.role !== "tool") return undefined;
  const ids = new Set(
    messages
      .filter(({ role }) => role === "assistant")
      .flatMap(partsOf)
      .filter((part) => part.type === "tool-approval-request" && part.toolCallId === callId)
      .map((part) => part.approvalId),
  );
  const answer = partsOf(last).find((part) => part.type === "tool-approval-response" && ids.has(part.approvalId));
  if (!answer) return undefined;
  return answer.approved === true ? "approved" : "denied";
}

type Part = Readonly<Record<string, unknown>>;

const partsOf = ({ content }: AiSdkMessage): readonly Part[] => (Array.isArray(content) ? content : []);
