import type { JsonSchema } from "../standard.ts";

/** The places of a schema inside another one, by the shape of the keyword's value. */
const SINGLE = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
const LISTS = ["allOf", "anyOf", "items", "oneOf", "prefixItems"] as const;
const MAPS = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"] as const;

/** A plain object: not null, not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The keyword's value if it is a map of schemas, else an empty one. */
export function mapOf(schema: JsonSchema, keyword: string): Readonly<Record<string, unknown>> {
  const value = schema[keyword];
  return isRecord(value) ? value : {};
}

/** The keyword's value if it is a list, else an empty one. */
export function listOf(schema: JsonSchema, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
}

/** Every schema directly inside this one, with its place as a JSON pointer. Data keywords are skipped. */
export function subschemas(schema: JsonSchema): [pointer: string, child: unknown][] {
  const found: [string, unknown][] = [];
  for (const keyword of SINGLE)
    if (keyword in schema && !Array.isArray(schema[keyword])) found.push([`/${keyword}`, schema[keyword]]);
  for (const keyword of LISTS)
    listOf(schema, keyword).forEach((child, index) => {
      found.push([`/${keyword}/${index}`, child]);
    });
  for (const keyword of MAPS)
    for (const [name, child] of Object.entries(mapOf(schema, keyword))) found.push([`/${keyword}/${name}`, child]);
  return found;
}

/** Whether the predicate holds for this schema or one inside it. */
export function someSchema(schema: unknown, holds: (schema: JsonSchema) => boolean): boolean {
  if (!isRecord(schema)) return false;
  return holds(schema) || subschemas(schema).some(([, child]) => someSchema(child, holds));
}

/**
 * A schema with `change` applied to every schema in it, innermost first. Unchanged schemas keep their identity. A
 * changed object keeps its order of keys and the hidden keys by which TypeBox recognises its types.
 */
export function rewrite(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inside = (child: unknown): unknown => (isRecord(child) ? rewrite(child, change) : child);
  const changes: Record<string, unknown> = {};
  for (const keyword of SINGLE) if (isRecord(schema[keyword])) changes[keyword] = inside(schema[keyword]);
  for (const keyword of LISTS) if (Array.isArray(schema[keyword])) changes[keyword] = sameList(schema[keyword], inside);
  for (const keyword of MAPS) if (isRecord(schema[keyword])) changes[keyword] = sameMap(schema[keyword], inside);
  return change(withKeys(schema, changes));
}

/** A copy with some keywords set, or removed if `undefined`; the schema itself if nothing differs. */
export function withKeys(schema: JsonSchema, changes: Readonly<Record<string, unknown>>): JsonSchema {
  if (Object.entries(changes).every(([keyword, value]) => schema[keyword] === value)) return schema;
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  for (const [keyword, value] of Object.entries(changes)) {
    if (value === undefined) delete copy[keyword];
    else setKey(copy, keyword, value);
  }
  return copy;
}

/** Sets an own key, including `__proto__`. */
export function setKey(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function sameList(list: unknown[], change: (item: unknown) => unknown): unknown[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}

function sameMap(map: Record<string, unknown>, change: (item: unknown) => unknown): Record<string, unknown> {
  const changed = {};
  let differs = false;
  for (const [key, item] of Object.entries(map)) {
    const next = change(item);
    if (next !== item) differs = true;
    setKey(changed, key, next);
  }
  return differs ? changed : map;
}
