import { deref } from "../json/ref.ts";
import { isRecord, listOf, mapOf } from "../json/walk.ts";
import type { JsonSchema } from "../standard.ts";

const UNIONS = ["anyOf", "oneOf"] as const;
const REFUSED = [...UNIONS, "allOf", "not", "if", "then", "else", "enum", "const", "dependentSchemas"] as const;

/**
 * The parameters as one object of named fields. Providers refuse a union at the root. Its branches become one list of
 * fields, and a field is required if every branch requires it. The result accepts more than the original, which still
 * validates the input.
 */
export function flatRoot(parameters: JsonSchema): JsonSchema {
  if (!REFUSED.some((keyword) => keyword in parameters)) return parameters;
  const fields = fieldsOf(parameters, parameters, 0);
  const rest = Object.fromEntries(Object.entries(parameters).filter(([keyword]) => !isRefused(keyword)));
  const properties = Object.fromEntries([...fields.schemas].map(([name, schemas]) => [name, oneOf(schemas)]));
  const required = [...fields.required];
  return {
    ...rest,
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(fields.isClosed ? { additionalProperties: false } : {}),
  };
}

const isRefused = (keyword: string): boolean =>
  [...REFUSED, "properties", "required", "additionalProperties"].some((refused) => refused === keyword);

interface Fields {
  readonly schemas: Map<string, unknown[]>;
  readonly required: Set<string>;
  readonly isClosed: boolean;
}

/** Own fields, those of every part of `allOf`, and those of every branch of a union. */
function fieldsOf(root: JsonSchema, schema: unknown, depth: number): Fields {
  const node = deref(root, schema);
  const fields = { schemas: new Map<string, unknown[]>(), required: new Set<string>(), isClosed: true };
  if (!isRecord(node) || depth > 8) return { ...fields, isClosed: false };
  const add = ({ schemas }: Fields): void => {
    for (const [name, found] of schemas) fields.schemas.set(name, [...(fields.schemas.get(name) ?? []), ...found]);
  };
  add({ ...fields, schemas: new Map(Object.entries(mapOf(node, "properties")).map(([name, one]) => [name, [one]])) });
  for (const name of listOf(node, "required")) if (typeof name === "string") fields.required.add(name);
  for (const part of listOf(node, "allOf")) {
    const inner = fieldsOf(root, part, depth + 1);
    add(inner);
    for (const name of inner.required) fields.required.add(name);
  }
  let isClosed = node.additionalProperties === false;
  for (const keyword of UNIONS) {
    const branches = listOf(node, keyword).map((branch) => fieldsOf(root, branch, depth + 1));
    if (branches.length === 0) continue;
    branches.forEach(add);
    isClosed ||= branches.every((branch) => branch.isClosed);
    for (const name of branches[0]?.required ?? [])
      if (branches.every(({ required }) => required.has(name))) fields.required.add(name);
  }
  return { ...fields, isClosed };
}

function oneOf(schemas: readonly unknown[]): unknown {
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...others] = different.values();
  if (others.length === 0) return only;
  const constants = [...different.values()].map((schema) => (isRecord(schema) ? schema.const : undefined));
  if (constants.every((value) => typeof value === "string")) return { type: "string", enum: constants };
  return { anyOf: [...different.values()] };
}
