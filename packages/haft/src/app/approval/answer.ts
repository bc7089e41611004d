import {
  type Answer,
  type ApprovalRequest,
  checkAnswer,
  formDefaults,
  formProblem,
  type Receipt,
} from "@haft/core/approval";
import { type ApprovalRecord, isRequestId, readRecord, writeAnswer } from "./record.ts";

/**
 * Answers a question from outside the process that asked it. The answer is bound to the question's id, call and digest; the
 * first one counts. The question's record shows a moment later whether a waiting process has taken it.
 */
export function answerRecord(folder: string, id: string, answer: unknown, by: string): Receipt {
  const record = isRequestId(id) ? readRecord(folder, id) : undefined;
  if (record === undefined) return refused("unknown_request", `There is no request "${id}".`);
  if (typeof record === "string") return refused("invalid", `The request "${id}" cannot be answered: ${record}.`);
  if (record.state === "ended") return refused("already_settled", `The request "${id}" is over: ${endOf(record)}.`);
  if (isExpired(record.request)) return refused("already_settled", `The request "${id}" is over: it timed out.`);
  const checked = checkAnswer(answer, record.request);
  if (!checked.ok) return refused("invalid", `This does not answer "${id}": ${checked.why}.`);
  const unfilled = unfilledIn(record.request, checked.answer);
  if (unfilled !== undefined) return refused("invalid", `The form is incomplete: ${unfilled}. It still waits.`);
  const { callId } = record.request;
  const { digest } = record;
  const at = new Date().toISOString();
  const isFirst = writeAnswer(folder, { version: 1, requestId: id, callId, digest, answer: checked.answer, by, at });
  return isFirst
    ? { accepted: true }
    : refused("already_settled", `The request "${id}" is already answered; this answer has no effect.`);
}

/** The end of a question, in words. */
export function endOf({ outcome }: ApprovalRecord): string {
  if (outcome?.status !== "answered") return outcome?.status ?? "for an unknown reason";
  return `${outcome.by} ${outcome.answer.behavior === "allow" ? "allowed" : "refused"} it`;
}

/** The form fields that a yes lacks. Without this check, the asker would receive that yes as a no. */
function unfilledIn({ form }: ApprovalRequest, answer: Answer): string | undefined {
  if (!form || answer.behavior === "deny") return undefined;
  return formProblem(form, answer.input ?? formDefaults(form));
}

/** Whether the time to answer has passed. */
export const isExpired = ({ expiresAt }: ApprovalRequest): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) < Date.now();

const refused = (reason: (Receipt & { accepted: false })["reason"], message: string): Receipt => ({
  accepted: false,
  reason,
  message,
});
