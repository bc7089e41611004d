import { SchemaError } from "./error.ts";
import { resolveRef } from "./json/ref.ts";
import { isRecord, listOf, mapOf, rewrite, withKeys } from "./json/walk.ts";
import type { JsonSchema } from "./standard.ts";

/** The `format` that marks a string as the path of a file or folder. Validators treat it as a plain string. */
export const PATH_FORMAT = "path";

/**
 * Marks a string schema as a path, so that code can find paths in an input without guessing by name (`pathFields`).
 * Takes a JSON Schema, a TypeBox string or a Zod 4 string, and returns a marked copy of the same kind. For a list of
 * paths mark the items.
 *
 * @throws SchemaError when it is not the schema of a string.
 */
export function asPath<S extends object>(schema: S): S {
  if ("meta" in schema && typeof schema.meta === "function") return schema.meta({ format: PATH_FORMAT }) as S;
  if ("type" in schema && schema.type === "string")
    return withKeys(schema as unknown as JsonSchema, { format: PATH_FORMAT }) as unknown as S;
  throw new SchemaError(
    "Only the schema of a string can be marked as a path.",
    'Mark a string: asPath(z.string()), asPath(Type.String()) or {"type": "string", "format": "path"}.',
  );
}

/** One schema without the mark. */
export const unmarked = (node: JsonSchema): JsonSchema =>
  node.format === PATH_FORMAT ? withKeys(node, { format: undefined }) : node;

const published = new WeakMap<JsonSchema, JsonSchema>();

/**
 * The schema for others: without Haft's own mark. Validators such as Ajv refuse a format that they do not know, and so
 * do some model providers. The same schema returns the same object each time.
 */
export function toPublicJson(json: JsonSchema): JsonSchema {
  const known = published.get(json) ?? rewrite(json, unmarked);
  published.set(json, known);
  return known;
}

/**
 * The key paths of strings marked as paths, from the root: `["file_path"]`, `["edits", "*", "path"]`. `*` means every
 * item of a list and every value of a map. A recursive schema is followed once.
 */
export function pathFields(json: JsonSchema): string[][] {
  const found = new Map<string, string[]>();
  collect(json, json, [], found, new Set());
  return [...found.values()];
}

function collect(
  root: JsonSchema,
  node: unknown,
  at: readonly string[],
  found: Map<string, string[]>,
  above: Set<unknown>,
): void {
  if (!isRecord(node) || above.has(node)) return;
  above.add(node);
  if (node.format === PATH_FORMAT) found.set(JSON.stringify(at), [...at]);
  const enter = (child: unknown, ...keys: string[]) => collect(root, child, [...at, ...keys], found, above);
  if (typeof node.$ref === "string") enter(resolveRef(root, node.$ref));
  for (const keyword of ["allOf", "anyOf", "oneOf"]) for (const part of listOf(node, keyword)) enter(part);
  for (const keyword of ["then", "else"]) enter(node[keyword]);
  for (const [key, child] of Object.entries(mapOf(node, "properties"))) enter(child, key);
  for (const child of Object.values(mapOf(node, "patternProperties"))) enter(child, "*");
  for (const item of [...listOf(node, "prefixItems"), ...listOf(node, "items")]) enter(item, "*");
  for (const keyword of ["items", "additionalProperties"]) enter(node[keyword], "*");
  above.delete(node);
}
