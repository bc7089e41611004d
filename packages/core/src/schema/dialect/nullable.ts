import { deref } from "../json/ref.ts";
import { isRecord, listOf, mapOf, withKeys } from "../json/walk.ts";
import type { JsonSchema } from "../standard.ts";

/** Whether null fits the schema. */
export function isNullable(root: JsonSchema, schema: unknown, depth = 0): boolean {
  const node = deref(root, schema);
  if (!isRecord(node)) return node === true;
  if (depth > 8) return true;
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = listOf(node, keyword);
    if (branches.length > 0) return branches.some((branch) => isNullable(root, branch, depth + 1));
  }
  const parts = listOf(node, "allOf");
  if (parts.length > 0 && !parts.every((part) => isNullable(root, part, depth + 1))) return false;
  if (Array.isArray(node.enum)) return node.enum.includes(null);
  if ("const" in node) return node.const === null;
  if (node.nullable === true || node.type === undefined) return true;
  return Array.isArray(node.type) ? node.type.includes("null") : node.type === "null";
}

/** The schema, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (Array.isArray(schema.anyOf)) {
    const has = schema.anyOf.some((branch) => isRecord(branch) && branch.type === "null");
    return has ? schema : withKeys(schema, { anyOf: [...schema.anyOf, { type: "null" }] });
  }
  if (type === undefined || "const" in schema) return { anyOf: [schema, { type: "null" }] };
  const types = Array.isArray(type) ? type : [type];
  return withKeys(schema, {
    type: types.includes("null") ? type : [...types, "null"],
    ...(Array.isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {}),
  });
}

/**
 * The input without nulls that stand for a missing field: the field is optional, and null does not fit it. Models send
 * them where a provider has no optional fields.
 */
export function withoutNulls(schema: JsonSchema, input: unknown): unknown {
  return strip(schema, [schema], input, 0);
}

function strip(root: JsonSchema, schemas: readonly unknown[], value: unknown, depth: number): unknown {
  if (depth > 100 || typeof value !== "object" || value === null) return value;
  const nodes = schemas.flatMap((schema) => alternatives(root, schema, 0));
  if (Array.isArray(value)) {
    const items = nodes.flatMap((node) => (isRecord(node.items) ? [node.items] : []));
    return items.length === 0 ? value : value.map((item) => strip(root, items, item, depth + 1));
  }
  const kept = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    const owners = nodes.filter((node) => Object.hasOwn(mapOf(node, "properties"), name));
    const children = owners.map((node) => mapOf(node, "properties")[name]);
    if (item !== null) return [[name, children.length === 0 ? item : strip(root, children, item, depth + 1)]];
    const isMissing =
      owners.length > 0 &&
      owners.every((node) => !listOf(node, "required").includes(name)) &&
      children.every((child) => !isNullable(root, child));
    return isMissing ? [] : [[name, item]];
  });
  return Object.fromEntries(kept);
}

/** The schema, with the parts and branches that it is made of. */
function alternatives(root: JsonSchema, schema: unknown, depth: number): JsonSchema[] {
  const node = deref(root, schema);
  if (!isRecord(node) || depth > 8) return [];
  const inner = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => listOf(node, keyword));
  return [node, ...inner.flatMap((part) => alternatives(root, part, depth + 1))];
}
