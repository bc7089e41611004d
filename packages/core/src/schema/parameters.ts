import { normalise } from "./json/normalise.ts";
import { deref } from "./json/ref.ts";
import { isRecord, listOf, mapOf, rewrite, withKeys } from "./json/walk.ts";
import { unmarked } from "./path.ts";
import type { JsonSchema } from "./standard.ts";

/** Zod writes the range of safe integers on every `.int()`; this does not help a model and costs tokens. */
const NOISE = new Map<string, number>([
  ["maximum", Number.MAX_SAFE_INTEGER],
  ["minimum", Number.MIN_SAFE_INTEGER],
]);

/**
 * The parameter list of a tool for any provider: the same schema without `$schema`, Zod's integer bounds and Haft's
 * own marks, with `type: "object"` and `properties` at its root. A copy; the original stays as it is. Keys keep their
 * order, so the same schema always gives the same bytes.
 */
export function toParameters(json: JsonSchema): JsonSchema {
  const ids = localIds(json);
  const clean = rewrite(withoutNoise(normalise(json)), (node) =>
    withKeys(unmarked(node), {
      ...(ids.has(node.$ref) ? { $ref: ids.get(node.$ref) } : {}),
      ...(ids.has(node.$id) ? { $id: undefined } : {}),
      ...(node.pattern instanceof RegExp ? { pattern: node.pattern.source } : {}),
    }),
  );
  const { $schema: _dialect, type: _type, $ref, ...rest } = clean;
  const target = $ref === undefined ? undefined : deref(clean, clean);
  const { type: _same, ...inlined } = isRecord(target) ? target : {};
  const root = { type: "object", ...inlined, ...rest };
  return structuredClone("properties" in root ? root : { ...root, properties: {} });
}

/** TypeBox names the parts of a recursive type by `$id`; providers support only pointers. */
function localIds(json: JsonSchema): Map<unknown, string> {
  const ids = new Map<unknown, string>();
  for (const [name, part] of Object.entries(mapOf(json, "$defs")))
    if (isRecord(part) && typeof part.$id === "string" && !part.$id.includes("/")) ids.set(part.$id, `#/$defs/${name}`);
  return ids;
}

/** The schema without bounds that only say that an integer is an integer. */
export function withoutNoise(json: JsonSchema): JsonSchema {
  return rewrite(json, (node) =>
    withKeys(
      node,
      Object.fromEntries(
        [...NOISE].filter(([keyword, bound]) => node[keyword] === bound).map(([keyword]) => [keyword, undefined]),
      ),
    ),
  );
}

/** The root's properties without a description, whose meaning a model would have to guess. */
export function undescribed(json: JsonSchema): string[] {
  const names = new Set<string>();
  collectUndescribed(json, json, names, 0);
  return [...names];
}

function collectUndescribed(root: JsonSchema, schema: unknown, names: Set<string>, depth: number): void {
  const node = deref(root, schema);
  if (!isRecord(node) || depth > 8) return;
  for (const [name, child] of Object.entries(mapOf(node, "properties")))
    if (!isDescribed(child) && !isDescribed(deref(root, child))) names.add(name);
  for (const keyword of ["allOf", "anyOf", "oneOf"])
    for (const part of listOf(node, keyword)) collectUndescribed(root, part, names, depth + 1);
}

const isDescribed = (schema: unknown): boolean =>
  isRecord(schema) &&
  // A constant describes itself: the tag of a union of actions.
  (schema.const !== undefined || (typeof schema.description === "string" && schema.description.trim() !== ""));
