import { isRecord, listOf, mapOf, rewrite, someSchema, subschemas, withKeys } from "../json/walk.ts";
import { toParameters } from "../parameters.ts";
import type { JsonSchema } from "../standard.ts";
import { flatRoot } from "./flat-root.ts";
import { withHints } from "./hints.ts";
import { nullable } from "./nullable.ts";
import { bareRef, withDefs } from "./references.ts";

/** Parameters for OpenAI, and whether the model is held to them. */
export interface OpenAiParameters {
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

/**
 * Parameters for OpenAI. Strict if every valid input stays expressible under the rules of strict mode: closed objects,
 * every field required, an optional field nullable. `withoutNulls` removes the nulls that the model then sends.
 */
export function toOpenAiParameters(json: JsonSchema, wantsStrict = true): OpenAiParameters {
  const parameters = flatRoot(withDefs(toParameters(json)));
  const strict = wantsStrict && isExpressible(parameters) ? strictly(parameters) : undefined;
  return strict && isWithinLimits(strict) ? { parameters: strict, strict: true } : { parameters, strict: false };
}

const ALLOWED: ReadonlySet<string> = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs"],
  ...["title", "description", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minItems", "maxItems", "pattern", "format"],
]);
const FORMATS = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);
const UNMAPPED = [
  "allOf",
  "if",
  "patternProperties",
  "prefixItems",
  "dependentSchemas",
  "definitions",
  "$id",
  "$anchor",
];

const typesOf = ({ type }: JsonSchema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

/** Whether strict mode has a form for each part that accepts every value that fits the part. */
function isExpressible(parameters: JsonSchema): boolean {
  const isFree = (child: unknown): boolean => !isRecord(child);
  const fails = (node: JsonSchema): boolean => {
    if (UNMAPPED.some((keyword) => keyword in node)) return true;
    if (typeof node.$ref === "string") return node.$ref !== "#" && !/^#\/\$defs\/[^/]+$/.test(node.$ref);
    const types = typesOf(node);
    if (types.includes("array") && isFree(node.items)) return true;
    if (types.includes("object")) return !isClosable(node, node === parameters);
    return ["type", "anyOf", "oneOf", "enum", "const"].every((keyword) => !(keyword in node));
  };
  return !someSchema(parameters, (node) => fails(node) || childrenOf(node).some(isFree));
}

const childrenOf = (node: JsonSchema): unknown[] => [
  ...Object.values(mapOf(node, "properties")),
  ...listOf(node, "anyOf"),
  ...listOf(node, "oneOf"),
];

/** Without `additionalProperties`, an object with fields means these fields. One without any is a map of anything. */
function isClosable(node: JsonSchema, isRoot: boolean): boolean {
  const { additionalProperties } = node;
  if (additionalProperties !== undefined && additionalProperties !== false) return false;
  return isRoot || additionalProperties === false || Object.keys(mapOf(node, "properties")).length > 0;
}

const strictly = (parameters: JsonSchema): JsonSchema => rewrite(parameters, (node) => strictNode(typed(node)));

function strictNode(node: JsonSchema): JsonSchema {
  if (typeof node.$ref === "string") return bareRef(node);
  const allows = (keyword: string): boolean => {
    if (keyword === "format") return FORMATS.has(String(node.format));
    if (keyword === "pattern") return !String(node.pattern).includes("(?");
    return ALLOWED.has(keyword);
  };
  const { oneOf } = node;
  const plain = withHints(oneOf === undefined ? node : withKeys(node, { oneOf: undefined, anyOf: oneOf }), allows);
  if (!typesOf(plain).includes("object")) return plain;
  const required = new Set(listOf(plain, "required"));
  const properties = Object.entries(mapOf(plain, "properties"));
  return withKeys(plain, {
    properties: Object.fromEntries(
      properties.map(([name, child]) => [name, required.has(name) || !isRecord(child) ? child : nullable(child)]),
    ),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  });
}

/** With the types of its constants, which strict mode requires. */
function typed(node: JsonSchema): JsonSchema {
  const values = node.const === undefined ? listOf(node, "enum") : [node.const];
  if (node.type !== undefined || values.length === 0) return node;
  const types = [...new Set(values.map(typeOf))];
  return withKeys(node, { type: types.length === 1 ? types[0] : types });
}

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** The documented limits: 5,000 fields, 10 levels, 1,000 constants. */
function isWithinLimits(schema: JsonSchema): boolean {
  let [fields, constants] = [0, 0];
  let isDeep = false;
  const count = (node: unknown, depth: number): void => {
    if (!isRecord(node)) return;
    fields += Object.keys(mapOf(node, "properties")).length;
    constants += listOf(node, "enum").length;
    isDeep ||= depth > 10;
    const step = node.properties === undefined && node.items === undefined ? 0 : 1;
    for (const [, child] of subschemas(node)) count(child, depth + step);
  };
  count(schema, 0);
  return fields <= 5000 && constants <= 1000 && !isDeep;
}
