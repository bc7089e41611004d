import { type JsonSchema, toSchema } from "@haft/core/schema";
import { cappedText, plainText } from "./plain-text.ts";

/** A usable schema and the repairs it needed, or the reason for having none. */
type UsableSchema = { readonly json: JsonSchema; readonly repaired?: string } | { readonly problem: string };

/** The schema of a tool without parameters. */
const NO_PARAMETERS: JsonSchema = { type: "object", properties: {} };

/** Most characters of a problem: it may name a deeply nested place. */
const PROBLEM_CHARS = 300;

const TYPES: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Keywords whose value is a text for the reader. */
const TEXTS: ReadonlySet<string> = new Set(["title", "description", "$comment"]);

/**
 * Makes a remote tool's schema usable. Returns the same object if it is valid. Invisible characters in its texts are removed. A part that
 * would not work (a reference to elsewhere, an unknown type) becomes one that accepts anything, because the server validates the input
 * itself.
 */
export function plainSchema(candidate: unknown, name: string): UsableSchema {
  if (candidate === undefined || candidate === null)
    return { json: NO_PARAMETERS, repaired: "It has no input schema, so it is used without parameters." };
  if (typeof candidate !== "object" || Array.isArray(candidate))
    return { problem: "Its input schema is not an object." };
  const given = candidate as JsonSchema;
  const visible = JSON.stringify(given);
  const json = plainText(visible) === visible ? given : (withPlainTexts(given, 0) as JsonSchema);
  const first = trouble(json, name);
  if (first === undefined)
    return json === given ? { json } : { json, repaired: "It has invisible characters, which were removed." };
  const repaired = loosened(json, json, 0) as JsonSchema;
  const second = trouble(repaired, name);
  return second === undefined ? { json: repaired, repaired: first } : { problem: second };
}

function trouble(json: JsonSchema, name: string): string | undefined {
  try {
    toSchema(json, `the remote tool ${name}`);
    return undefined;
  } catch (thrown) {
    return cappedText(thrown instanceof Error ? thrown.message : String(thrown), PROBLEM_CHARS);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withPlainTexts(value: unknown, depth: number): unknown {
  if (depth > 200) return {};
  if (Array.isArray(value)) return value.map((item) => withPlainTexts(item, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      TEXTS.has(key) && typeof item === "string" ? plainText(item) : withPlainTexts(item, depth + 1),
    ]),
  );
}

/** The schema, with every unusable part replaced by one that accepts anything. It is cut at a depth that no real schema reaches. */
function loosened(node: unknown, root: JsonSchema, depth: number): unknown {
  if (typeof node === "boolean") return node;
  if (!isRecord(node) || depth > 60) return {};
  if (node.$ref !== undefined && !leadsSomewhere(node.$ref, root)) return describedOnly(node);
  const kept = Object.entries(node).flatMap(([key, value]) => {
    const loose = loosenedKeyword(key, value, root, depth);
    return loose === undefined ? [] : [[key, loose] as const];
  });
  return Object.fromEntries(kept);
}

function loosenedKeyword(key: string, value: unknown, root: JsonSchema, depth: number): unknown {
  switch (key) {
    case "type":
      return typesOf(value);
    case "required":
      return Array.isArray(value) ? value.filter((name) => typeof name === "string") : undefined;
    case "pattern":
      return typeof value === "string" && compiles(value) ? value : undefined;
    case "enum":
      return Array.isArray(value) ? value : undefined;
    case "properties":
    case "$defs":
    case "definitions":
    case "dependentSchemas":
      return isRecord(value) ? mapped(value, (item) => loosened(item, root, depth + 1)) : undefined;
    case "patternProperties":
      return isRecord(value)
        ? mapped(Object.fromEntries(Object.entries(value).filter(([name]) => compiles(name))), (item) =>
            loosened(item, root, depth + 1),
          )
        : undefined;
    case "allOf":
    case "anyOf":
    case "oneOf":
    case "prefixItems":
      return Array.isArray(value) ? value.map((item) => loosened(item, root, depth + 1)) : undefined;
    case "items":
    case "additionalProperties":
    case "not":
    case "contains":
    case "propertyNames":
    case "if":
    case "then":
    case "else":
    case "unevaluatedProperties":
    case "unevaluatedItems":
      return Array.isArray(value)
        ? value.map((item) => loosened(item, root, depth + 1))
        : loosened(value, root, depth + 1);
    default:
      return value;
  }
}

function typesOf(value: unknown): unknown {
  const known = (Array.isArray(value) ? value : [value]).filter((name) =>
    TYPES.has(typeof name === "string" ? name.toLowerCase() : name),
  );
  if (known.length === 0) return undefined;
  return Array.isArray(value) ? known : known[0];
}

const mapped = (record: Record<string, unknown>, change: (item: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, item]) => [key, change(item)]));

const describedOnly = ({ description }: Record<string, unknown>): Record<string, unknown> =>
  typeof description === "string" ? { description } : {};

/** Whether a reference points into the schema itself. Other references are never fetched. */
function leadsSomewhere(ref: unknown, root: JsonSchema): boolean {
  if (ref === "#") return true;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return false;
  const keys = ref.slice(2).split("/");
  let at: unknown = root;
  for (const key of keys) {
    const name = decodeKey(key);
    if (typeof at !== "object" || at === null || name === undefined || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return isRecord(at) || typeof at === "boolean";
}

function decodeKey(key: string): string | undefined {
  try {
    return decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}
