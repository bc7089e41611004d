import { nearest } from "@haft/core/schema";
import { EVENT_RULES, type LiveEvent } from "./occasion.ts";

/** A handler's JSON, validated against the protocol's shape. Null fields count as absent. */
export interface Answer {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly systemMessage?: string;
  readonly decision?: "block" | "approve";
  readonly reason?: string;
  readonly hookSpecificOutput?: Specific;
}

export interface Specific {
  readonly permissionDecision?: "allow" | "ask" | "deny" | "defer";
  readonly permissionDecisionReason?: string;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly additionalContext?: string;
  readonly updatedToolOutput?: unknown;
  readonly decision?: PermissionAnswer;
}

/** A PermissionRequest hook's answer, given in a person's place. */
export interface PermissionAnswer {
  readonly behavior: "allow" | "deny";
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedPermissions?: readonly unknown[];
  readonly message?: string;
  readonly interrupt?: boolean;
}

/** Parsed stdout: an answer, plain text, or a malformed answer. */
export type Parsed =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "malformed"; readonly why: string };

/** Reads stdout. Text that begins with `{` is JSON. Other text that seems to hold an answer further on is malformed. */
export function parseAnswer(event: LiveEvent, printed: string): Parsed {
  const text = printed.replace(/^\uFEFF/, "").trim();
  if (!text.startsWith("{")) {
    if (!holdsAnswer(event, text)) return { kind: "text", text };
    return { kind: "malformed", why: "its output has other text before the JSON; print only the JSON" };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { kind: "malformed", why: `it printed broken JSON (${(thrown as Error).message})` };
  }
  // Only the second of two values under one key would count, and the first may have been the no.
  if (repeatsKey(text, value)) return { kind: "malformed", why: "a key of its JSON is repeated" };
  const { answer, why } = checkObject(value as Fields, COMMON, "");
  if (why !== undefined) return { kind: "malformed", why };
  const specific = answer.hookSpecificOutput as Fields | undefined;
  if (!specific) return { kind: "answer", answer };
  const named = specific.hookEventName;
  if (named !== undefined && named !== event)
    return { kind: "malformed", why: `it answers ${String(named)}, but this is ${event}` };
  const checked = checkObject(specific, { ...OF_ANY, ...OF_EVENT[event] }, "hookSpecificOutput.");
  if (checked.why !== undefined) return { kind: "malformed", why: checked.why };
  const decision = checked.answer.decision as Fields | undefined;
  const permission = decision ? checkObject(decision, PERMISSION, "hookSpecificOutput.decision.") : undefined;
  if (permission?.why !== undefined) return { kind: "malformed", why: permission.why };
  if (permission && permission.answer.behavior === undefined)
    return { kind: "malformed", why: "hookSpecificOutput.decision has no behavior" };
  return { kind: "answer", answer: { ...answer, hookSpecificOutput: checked.answer as Specific } };
}

/** If plain text has no meaning for the event, any JSON object on lines of its own was meant to decide. */
const holdsAnswer = (event: LiveEvent, text: string): boolean =>
  /"(?:hookSpecificOutput|permissionDecision|decision|continue)"\s*:/.test(text) ||
  (!EVENT_RULES[event].textIsContext && /^\s*\{\s*["}]/m.test(text));

type Fields = Readonly<Record<string, unknown>>;
type Kind = "text" | "flag" | "object" | "list" | "number" | "any" | readonly string[];
type Shape = Readonly<Record<string, Kind>>;

const COMMON: Shape = {
  continue: "flag",
  stopReason: "text",
  systemMessage: "text",
  suppressOutput: "flag",
  terminalSequence: "text",
  decision: ["block", "approve"],
  reason: "text",
  hookSpecificOutput: "object",
};

const OF_ANY: Shape = { hookEventName: "text", additionalContext: "text" };

const OF_EVENT: Readonly<Partial<Record<LiveEvent, Shape>>> = {
  PreToolUse: {
    permissionDecision: ["allow", "ask", "deny", "defer"],
    permissionDecisionReason: "text",
    updatedInput: "object",
  },
  PermissionRequest: { decision: "object" },
  PostToolUse: { updatedToolOutput: "any", updatedMCPToolOutput: "any", classifierContext: "text" },
  SessionStart: { initialUserMessage: "text", watchPaths: "list", sessionTitle: "text", reloadSkills: "flag" },
  UserPromptSubmit: { sessionTitle: "text" },
};

const PERMISSION: Shape = {
  behavior: ["allow", "deny"],
  updatedInput: "object",
  updatedPermissions: "list",
  message: "text",
  interrupt: "flag",
};

/** Fields that decide, and where they belong. Anywhere else they would have no effect, though somebody meant one. */
const DECIDING: Readonly<Record<string, string>> = {
  continue: '"continue", beside hookSpecificOutput',
  decision: '"decision", beside hookSpecificOutput, or "hookSpecificOutput.decision" of PermissionRequest',
  permissionDecision: '"hookSpecificOutput.permissionDecision" of PreToolUse',
  updatedInput: '"hookSpecificOutput.updatedInput" of PreToolUse',
  behavior: '"hookSpecificOutput.decision.behavior" of PermissionRequest',
};

/** Ignores an unknown field, unless it decides elsewhere or nearly spells a field that would have mattered. */
function checkObject(value: Fields, shape: Shape, path: string): { readonly answer: Fields; readonly why?: string } {
  const present = Object.entries(value).filter(([, item]) => item !== null);
  for (const [key, item] of present) {
    const kind = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (kind === undefined) {
      const place = Object.hasOwn(DECIDING, key) ? DECIDING[key] : undefined;
      if (place)
        return { answer: {}, why: `it says "${path}${key}", which decides nothing here; its place is ${place}` };
      const meant = nearest(key, Object.keys(shape));
      if (meant !== undefined) return { answer: {}, why: `it says "${path}${key}"; did it mean "${path}${meant}"?` };
      const elsewhere = nearest(key, Object.keys(DECIDING));
      if (elsewhere !== undefined)
        return { answer: {}, why: `it says "${path}${key}"; did it mean ${DECIDING[elsewhere]}?` };
    } else if (!fits(item, kind)) return { answer: {}, why: `"${path}${key}" must be ${wanted(kind)}` };
  }
  return { answer: Object.fromEntries(present) };
}

function fits(item: unknown, kind: Kind): boolean {
  if (typeof kind !== "string") return kind.includes(item as string);
  switch (kind) {
    case "any":
      return true;
    case "text":
      return typeof item === "string";
    case "flag":
      return typeof item === "boolean";
    case "number":
      return typeof item === "number";
    case "list":
      return Array.isArray(item);
    case "object":
      return typeof item === "object" && !Array.isArray(item);
  }
}

function wanted(kind: Kind): string {
  if (typeof kind !== "string") return `one of ${kind.map((word) => `"${word}"`).join(", ")}`;
  return {
    any: "anything",
    text: "a text",
    flag: "true or false",
    number: "a number",
    list: "a list",
    object: "an object",
  }[kind];
}

/** Whether a JSON text has a key twice in one object. The text is valid JSON, and `parsed` is its value. */
function repeatsKey(text: string, parsed: unknown): boolean {
  const written =
    text.replaceAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gs, (_, colon?: string) => (colon ? ":" : "")).split(":").length - 1;
  let kept = 0;
  const open: unknown[] = [parsed];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) kept += Object.keys(value).length;
    for (const one of Object.values(value)) open.push(one);
  }
  return written !== kept;
}
