import { isRecord, listOf, mapOf, rewrite, withKeys } from "../json/walk.ts";
import { toParameters } from "../parameters.ts";
import type { JsonSchema } from "../standard.ts";
import { flatRoot } from "./flat-root.ts";
import { withHints } from "./hints.ts";
import { bareRef, withDefs } from "./references.ts";

/** The keywords of `parametersJsonSchema`. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...["$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"],
  ...["minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"],
]);
const FORMATS = new Set(["date-time", "date", "time", "enum", "int32", "int64", "float", "double"]);

/**
 * Parameters for Gemini's `parametersJsonSchema`, which knows a part of JSON Schema. The result accepts every valid
 * input; constraints that the provider refuses move into descriptions and are checked when the call arrives.
 */
export function toGeminiParameters(json: JsonSchema): JsonSchema {
  return rewrite(flatRoot(withDefs(toParameters(json))), geminiNode);
}

function geminiNode(schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref === "string") return bareRef(schema);
  const node = withEnum(merged(schema));
  const allows = (keyword: string): boolean =>
    keyword === "format" ? FORMATS.has(String(node.format)) : ALLOWED.has(keyword);
  return withSchemas(withHints(withTypes(node), allows));
}

/** With the fields of the objects in `allOf`, which is unknown here. */
function merged(node: JsonSchema): JsonSchema {
  const parts = listOf(node, "allOf").filter(isRecord);
  if (parts.length === 0) return node;
  if (parts.length === 1 && Object.keys(node).every((keyword) => keyword === "allOf" || keyword === "description"))
    return geminiNode({ ...parts[0], ...(node.description === undefined ? {} : { description: node.description }) });
  const all = [node, ...parts];
  const properties = Object.assign({}, ...all.map((part) => mapOf(part, "properties")));
  const required = [...new Set(all.flatMap((part) => listOf(part, "required")))];
  const { allOf: _parts, additionalProperties: _closed, ...own } = node;
  return {
    ...own,
    ...(Object.keys(properties).length > 0 ? { type: "object", properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Constants as `enum`, which knows strings and numbers only. */
function withEnum(node: JsonSchema): JsonSchema {
  const values = "const" in node ? [node.const] : Array.isArray(node.enum) ? node.enum : undefined;
  if (values === undefined) return node;
  const { const: _constant, enum: _values, ...rest } = node;
  const types = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  const type = rest.type ?? (types.length === 1 ? types[0] : types);
  const isPlain = values.every((value) => typeof value === "string" || typeof value === "number" || value === null);
  if (isPlain) return { ...rest, type, enum: values.filter((value) => value !== null) };
  const isSimple = types.every((name) => name !== "object");
  const hint = `One of: ${values.map((value) => JSON.stringify(value)).join(", ")}.`;
  const description = typeof rest.description === "string" ? `${rest.description} ${hint}` : hint;
  return { ...rest, ...(isSimple ? { type } : {}), description };
}

/** A type, or a type and null; more alternatives become a union. */
function withTypes(node: JsonSchema): JsonSchema {
  const types = listOf(node, "type");
  if (types.length === 0) return node;
  const real = types.filter((type) => type !== "null");
  if (real.length === 1) return types.length === 1 ? withKeys(node, { type: real[0] }) : node;
  const { type: _types, title, description, ...constraints } = node;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    anyOf: types.map((type) => ({ ...constraintsOf(constraints, String(type)), type })),
  };
}

const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  array: ["items", "prefixItems", "minItems", "maxItems"],
  integer: ["minimum", "maximum", "enum"],
  number: ["minimum", "maximum", "enum"],
  object: ["properties", "required", "additionalProperties"],
  string: ["enum", "format"],
};

const constraintsOf = (constraints: JsonSchema, type: string): JsonSchema =>
  Object.fromEntries(Object.entries(constraints).filter(([keyword]) => OF_TYPE[type]?.includes(keyword)));

/** Boolean schemas as objects, and old names of definitions. */
function withSchemas(node: JsonSchema): JsonSchema {
  const plain = (map: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(map).map(([name, child]) => [name, isRecord(child) ? child : {}]));
  return withKeys(node, {
    ...(isRecord(node.properties) && Object.values(node.properties).some((child) => !isRecord(child))
      ? { properties: plain(node.properties) }
      : {}),
    ...(typeof node.items === "boolean" ? { items: {} } : {}),
  });
}
