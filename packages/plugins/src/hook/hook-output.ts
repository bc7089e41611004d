import { grouped } from "@haft/core/tool";
import { type Answer, type Parsed, type PermissionAnswer, parseAnswer } from "./answer.ts";
import type { OnFailure } from "./handler.ts";
import { EVENT_RULES, type LiveEvent } from "./occasion.ts";
import type { Ended, Printed } from "./run/ended.ts";

/** Most characters of a text that a hook may show to a model or a person. */
export const HOOK_TEXT_CHARS = 10_000;

const NO_REASON = "A hook refused this without a reason.";

/** A handler's answer in Haft's terms. */
export interface Said {
  readonly decision?: "allow" | "ask" | "deny" | "defer";
  /** It blocks what happened, for this reason. */
  readonly block?: string;
  readonly reason?: string;
  readonly input?: { readonly value: unknown };
  readonly output?: { readonly value: unknown };
  readonly context?: string;
  readonly stop?: string;
  /** For the person. */
  readonly message?: string;
  readonly permission?: PermissionAnswer;
}

export interface Reading {
  readonly said: Said;
  /** Why it gave no answer although it should have. A guard with a failure did not guard. */
  readonly failure?: string;
  /** Something that a person should know although the hook did not fail. */
  readonly remark?: string;
}

/**
 * Interprets how a handler ended. Exit code 0 and HTTP 200: its JSON counts. Exit code 2: it blocks, whatever its
 * JSON says. Any other code: its JSON counts if it is valid; otherwise the handler failed.
 */
export function readEnded(event: LiveEvent, ended: Ended): Reading {
  if (ended.how === "failed") return { said: {}, failure: ended.why };
  if (ended.how === "reply") return readReply(event, ended.body);
  const parsed = parsePrinted(event, ended.stdout);
  if (ended.code === 2) return blocked(event, parsed, ended.stderr);
  if (parsed.kind === "answer") return { said: saidBy(parsed.answer) };
  if (ended.code === 0)
    return parsed.kind === "malformed" ? { said: {}, failure: parsed.why } : words(event, parsed.text);
  const told = ended.stderr.trim().split("\n", 1)[0] ?? "";
  const why = parsed.kind === "malformed" ? parsed.why : told.slice(0, 300);
  return { said: {}, failure: `it ended with exit code ${ended.code}${why === "" ? "" : ` (${why})`}` };
}

/** Turns a failure that counts as a no into a no, for events where a no has an effect. */
export function failedAsNo(event: LiveEvent, reading: Reading, onFailure: OnFailure | undefined): Reading {
  if (reading.failure === undefined || onFailure !== "deny" || EVENT_RULES[event].exit2 === "tell") return reading;
  const message = `A hook failed, so this is refused: ${reading.failure}.`;
  return {
    ...reading,
    said: event === "PermissionRequest" ? { permission: { behavior: "deny", message } } : { block: message },
  };
}

function readReply(event: LiveEvent, body: Printed): Reading {
  const parsed = parsePrinted(event, body);
  if (parsed.kind === "answer") return { said: saidBy(parsed.answer) };
  if (parsed.kind === "malformed") return { said: {}, failure: parsed.why };
  return parsed.text === "" ? { said: {} } : { said: {}, failure: "its server's answer is not a JSON object" };
}

const parsePrinted = (event: LiveEvent, printed: Printed): Parsed =>
  "text" in printed ? parseAnswer(event, printed.text) : { kind: "malformed", why: printed.unreadable };

function words(event: LiveEvent, text: string): Reading {
  if (text === "") return { said: {} };
  if (EVENT_RULES[event].textIsContext) return { said: { context: capped(text) } };
  return { said: {}, remark: "it printed plain text, which has no effect; answer with a JSON object" };
}

function blocked(event: LiveEvent, parsed: Parsed, stderr: string): Reading {
  const said = parsed.kind === "answer" ? saidBy(parsed.answer) : {};
  const remark = parsed.kind === "malformed" ? { remark: parsed.why } : {};
  const told = capped(stderr.trim());
  switch (EVENT_RULES[event].exit2) {
    case "tell":
      return { said: { ...said, message: told || "It ended with exit code 2." }, ...remark };
    case "none": {
      const { permission, ...rest } = said;
      const no = permission?.behavior === "deny" ? { permission } : {};
      return { said: { ...rest, ...no }, remark: "exit code 2 has no effect here; answer with a decision as JSON" };
    }
    case "block": {
      const own = said.decision === "deny" ? said.reason : said.block;
      const block = own || told || NO_REASON;
      // A block overrides whatever the answer allows or replaces.
      const { decision: _, reason: __, input: ___, output: ____, ...rest } = said;
      return { said: { ...rest, block }, ...remark };
    }
  }
}

function saidBy(answer: Answer): Said {
  const { hookSpecificOutput: own = {}, decision: old, reason } = answer;
  const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext, decision } = own;
  // `approve` and `block` are the old words for allow and deny.
  const spoken = permissionDecision ?? (old === "approve" ? "allow" : undefined);
  const why = permissionDecisionReason ?? reason;
  return {
    ...(spoken ? { decision: spoken } : {}),
    ...(why === undefined ? {} : { reason: capped(why) }),
    ...(old === "block" ? { block: capped(reason ?? "") || NO_REASON } : {}),
    ...(updatedInput ? { input: { value: updatedInput } } : {}),
    ...(own.updatedToolOutput === undefined ? {} : { output: { value: own.updatedToolOutput } }),
    ...(additionalContext ? { context: capped(additionalContext) } : {}),
    ...(answer.continue === false ? { stop: capped(answer.stopReason ?? "") || "A hook ended the turn." } : {}),
    ...(answer.systemMessage ? { message: capped(answer.systemMessage) } : {}),
    ...(decision ? { permission: withCap(decision) } : {}),
  };
}

const withCap = (answer: PermissionAnswer): PermissionAnswer =>
  answer.message === undefined ? answer : { ...answer, message: capped(answer.message) };

const capped = (text: string): string =>
  text.length <= HOOK_TEXT_CHARS
    ? text
    : `${text.slice(0, HOOK_TEXT_CHARS)}\n[${grouped(text.length - HOOK_TEXT_CHARS)} more characters of this hook are left out]`;
