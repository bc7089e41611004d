import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { Answer, ApprovalRequest } from "@haft/core/approval";
import type { EditablePart } from "../terminal/approval/editable.ts";
import { changedText, proposedFile, unreadable } from "../terminal/approval/editor.ts";
import { answerOf, permissionRequest } from "./permission.ts";
import { contentOf } from "./tool-call.ts";

/** The way to the person's editor. */
export interface EditorChannel {
  readonly sessionId: string;
  ask(params: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  /** Tells that a file belongs to the call. */
  show(callId: string, path: string, words: string): void;
  say(words: string): void;
}

/** The last part of the file. The protocol has no field for words with a no. */
const COMMENT = "\n--- if you deny: your comment for the agent, below this line ---\n";

const OPTIONS: PermissionOption[] = [
  { optionId: "edited", name: "Use the edited text", kind: "allow_once" },
  { optionId: "deny", name: "Deny, with the comment at the end of the file", kind: "reject_once" },
  { optionId: "stop", name: "Deny and stop", kind: "reject_once" },
];

/**
 * Puts the text of a call into a file for the person's editor and asks what to do with it. A changed call is decided and
 * shown again. `undefined` if the text is as before: the first question stands.
 */
export async function editFirst(
  request: ApprovalRequest,
  part: EditablePart,
  channel: EditorChannel,
): Promise<Answer | undefined> {
  const text = part.text.endsWith("\n") ? part.text : `${part.text}\n`;
  await using file = await proposedFile({ text: `${text}${COMMENT}`, suffix: part.suffix });
  const words = `Change and save ${file.path}, then answer here.`;
  channel.show(request.callId, file.path, words);
  const response = await channel.ask(editedQuestion(channel.sessionId, request, file.path, words));
  const answer = answerOf(request, response);
  const isEdited = response.outcome.outcome === "selected" && response.outcome.optionId === "edited";
  if (!isEdited && answer.behavior === "deny" && answer.interrupt) return answer;
  const saved = await file.read().then(parts, unreadable);
  if (!isEdited) return { behavior: "deny", ...("comment" in saved ? { message: saved.comment } : {}) };
  const result = "body" in saved ? changedText(saved.body, text) : saved;
  if ("text" in result) return { behavior: "allow", input: part.apply(result.text), review: true };
  channel.say(`${result.why} Nothing has run.`);
  return undefined;
}

function editedQuestion(sessionId: string, request: ApprovalRequest, path: string, words: string) {
  const { toolCall, ...question } = permissionRequest(sessionId, request);
  const content = [...contentOf({ kind: "markdown", text: words }), ...(toolCall.content ?? [])];
  return { ...question, toolCall: { ...toolCall, locations: [{ path }], content }, options: OPTIONS };
}

function parts(saved: string): { readonly body: string; readonly comment?: string } {
  const at = saved.lastIndexOf(COMMENT);
  if (at < 0) return { body: saved };
  const comment = saved.slice(at + COMMENT.length).trim();
  return { body: saved.slice(0, at), ...(comment === "" ? {} : { comment }) };
}
