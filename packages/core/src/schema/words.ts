import { deref } from "./json/ref.ts";
import { isRecord, listOf } from "./json/walk.ts";
import type { JsonSchema } from "./standard.ts";

/** Limit for enum members and field names in one sentence. */
const LISTED = 10;
/** Limit in characters for a received value in a sentence. */
const QUOTED = 40;

/** A key path as people write it: `edits[0].file_path`; the root is `input`. */
export function pathText(path: readonly (string | number)[]): string {
  const text = path
    .map((key) =>
      typeof key === "number" ? `[${key}]` : /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    )
    .join("");
  return text === "" ? "input" : text.replace(/^\./, "");
}

/** The expected value of a schema, in a few words: `string`, `number or null`, `one of "a", "b"`. */
export function expectedText(root: JsonSchema, schema: unknown, depth = 0): string {
  const node = deref(root, schema);
  if (!isRecord(node) || depth > 4) return node === false ? "nothing" : "a value";
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (Array.isArray(node.enum)) return oneOf(node.enum);
  const branches = [...listOf(node, "anyOf"), ...listOf(node, "oneOf")];
  if (branches.length > 0) return joinOr([...new Set(branches.map((branch) => expectedText(root, branch, depth + 1)))]);
  if (Array.isArray(node.type)) return joinOr(node.type.map(String));
  return typeof node.type === "string" ? node.type : (partText(root, node, depth) ?? "a value");
}

/** The received value with its type and, if short, itself: `string "ten"`, `array of 3`. */
export function receivedText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `array of ${value.length}`;
  if (isRecord(value)) {
    const keys = Object.keys(value);
    return keys.length === 0 ? "an empty object" : `object with ${shorten(keys.join(", "))}`;
  }
  return typeof value === "string" ? `string ${quote(value)}` : `${typeof value} ${String(value)}`;
}

/** A value in a sentence, shortened. JSON's escapes keep control characters out of terminals and prompts. */
export const quote = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(shorten(value)) : shorten(JSON.stringify(value) ?? String(value));

/** `one of "a", "b"`, at most ten members. */
export function oneOf(values: readonly unknown[]): string {
  if (values.length === 1) return quote(values[0]);
  return `one of ${listed(values.map(quote))}`;
}

/** Names with commas, at most ten, then the number of the others. */
export function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  return more > 0 ? `${names.slice(0, LISTED).join(", ")} and ${more} more` : names.join(", ");
}

const joinOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

const shorten = (text: string): string => (text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text);

function partText(root: JsonSchema, node: JsonSchema, depth: number): string | undefined {
  const parts = listOf(node, "allOf").map((part) => expectedText(root, part, depth + 1));
  return parts.find((part) => part !== "a value");
}
