import type { JsonSchema } from "../standard.ts";
import { resolveRef } from "./ref.ts";
import { isRecord, listOf, mapOf, setKey } from "./walk.ts";

/** Keywords whose check takes time bounded by the size of the value, and the default. */
const PLAIN = [
  "type",
  "enum",
  "const",
  "required",
  "default",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

/** Limit for the number of parts, with references expanded: far more than a real schema has. */
const MOST_PARTS = 5_000;
const DEEPEST = 64;

/**
 * The part of an untrusted schema that values are checked against. A pattern can take practically forever, and so can
 * references that lead to two others each. The author of the schema checks the rest on their side. Every value that
 * fits the whole schema fits this part: dropped keywords would only refuse more. If a loosened keyword would refuse
 * more (`not`, `if`, `oneOf`, keywords for unevaluated parts), it is dropped or becomes a weaker one.
 */
export function checkedPart(root: JsonSchema): JsonSchema {
  let room = MOST_PARTS;

  function part(node: unknown, above: readonly unknown[]): unknown {
    if (typeof node === "boolean") return node;
    if (!isRecord(node) || above.includes(node) || above.length >= DEEPEST || room <= 0) return {};
    room -= 1;
    const within = [...above, node];
    const each = (nodes: readonly unknown[]): unknown[] => nodes.map((child) => part(child, within));
    const kept: Record<string, unknown> = {};
    for (const keyword of PLAIN) if (node[keyword] !== undefined) kept[keyword] = node[keyword];
    const all = each(listOf(node, "allOf"));
    if (typeof node.$ref === "string") all.push(part(resolveRef(root, node.$ref), within));
    for (const keyword of ["anyOf", "oneOf"] as const)
      if (listOf(node, keyword).length > 0) all.push({ anyOf: each(listOf(node, keyword)) });
    if (all.length > 0) kept.allOf = all;
    if (isRecord(node.properties)) kept.properties = fields(mapOf(node, "properties"), within);
    if (node.additionalProperties !== undefined && node.patternProperties === undefined)
      kept.additionalProperties = part(node.additionalProperties, within);
    if (Array.isArray(node.items)) kept.items = each(node.items);
    else if (node.items !== undefined) kept.items = part(node.items, within);
    if (Array.isArray(node.prefixItems)) kept.prefixItems = each(node.prefixItems);
    if (node.additionalItems !== undefined) kept.additionalItems = part(node.additionalItems, within);
    return kept;
  }

  function fields(properties: Readonly<Record<string, unknown>>, within: readonly unknown[]): object {
    const kept = {};
    for (const [name, child] of Object.entries(properties)) setKey(kept, name, part(child, within));
    return kept;
  }

  return part(root, []) as JsonSchema;
}
