import type { Content } from "@haft/core/tool";
import type { AssistantPart, Message, ResultPart } from "./message.ts";

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isList: Check = (value) => Array.isArray(value);
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isAny: Check = () => true;

const CONTENT: Readonly<Record<Content["type"], Readonly<Record<string, Check>>>> = {
  text: { text: isText },
  image: { data: isText, mediaType: isText },
  audio: { data: isText, mediaType: isText },
  document: { data: isText, mediaType: isText, name: isOptional(isText) },
  resource: { uri: isText, text: isOptional(isText), mediaType: isOptional(isText) },
  json: { value: isAny },
};

const PARTS: Readonly<Record<AssistantPart["type"], Readonly<Record<string, Check>>>> = {
  text: { text: isText, meta: isOptional(isObject) },
  reasoning: { text: isText, meta: isOptional(isObject) },
  "tool-call": { id: isText, tool: isText, json: isOptional(isText), meta: isOptional(isObject) },
};

const STATUSES: ReadonlySet<unknown> = new Set<ResultPart["status"]>(["ok", "error", "denied", "cancelled"]);

const fieldsOf = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {});

function fits(kinds: Readonly<Record<string, Readonly<Record<string, Check>>>>, value: unknown): boolean {
  const fields = fieldsOf(value);
  const { type } = fields;
  if (typeof type !== "string" || !Object.hasOwn(kinds, type)) return false;
  return Object.entries(kinds[type]!).every(([name, check]) => check(fields[name]));
}

/** Whether a stored value is a piece of content. */
export const isContent = (value: unknown): value is Content => fits(CONTENT, value);

const isPart = (value: unknown): value is AssistantPart => fits(PARTS, value);

function isResult(value: unknown): value is ResultPart {
  const { callId, tool, status, content, labels, loads } = fieldsOf(value);
  return (
    [callId, tool].every(isText) &&
    STATUSES.has(status) &&
    [labels].every(isOptional(isObject)) &&
    [loads].every(isOptional(isList)) &&
    Array.isArray(content)
  );
}

/** A stored message, without what nobody understands in it. */
export interface StoredMessage {
  /** Absent when nothing in it can be read. */
  readonly message?: Message;
  /** Whether something was left out. */
  readonly isDamaged: boolean;
}

/** Reads a message that another version wrote, or that was edited or cut. */
export function readStoredMessage(value: unknown): StoredMessage {
  const { role, content, parts, results } = fieldsOf(value);
  const original = value as Message;
  if (role === "user") return kept(content, isContent, (rest) => ({ role, content: rest }), original);
  if (role === "assistant") return kept(parts, isPart, (rest) => ({ role, parts: rest }), original);
  if (role !== "results" || !Array.isArray(results)) return { isDamaged: true };
  let isDamaged = false;
  const readable = results.filter(isResult).map((result) => {
    const fit = result.content.filter(isContent);
    if (fit.length === result.content.length) return result;
    isDamaged = true;
    return { ...result, content: fit };
  });
  if (readable.length < results.length) isDamaged = true;
  return isDamaged ? { message: { role, results: readable }, isDamaged } : { message: original, isDamaged };
}

/** A message that is whole stays the object that it is. */
function kept<T>(
  list: unknown,
  isFit: (value: unknown) => value is T,
  made: (rest: readonly T[]) => Message,
  original: Message,
): StoredMessage {
  if (!Array.isArray(list)) return { isDamaged: true };
  const rest = list.filter(isFit);
  if (rest.length === list.length) return { message: original, isDamaged: false };
  return rest.length === 0 ? { isDamaged: true } : { message: made(rest), isDamaged: true };
}
