import { SchemaError } from "../error.ts";
import type { JsonSchema } from "../standard.ts";
import { readable, TYPE_NAMES } from "./normalise.ts";
import { deref } from "./ref.ts";
import { isRecord, listOf, subschemas } from "./walk.ts";

const MAPS = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"] as const;
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "enum"] as const;
/** Far deeper than every real schema; a hostile one must not exhaust the stack. */
const DEEPEST = 200;

/**
 * Refuses a JSON Schema that would not do what it says: the validator skips keywords that it cannot read, and a skipped
 * rule accepts everything. Remote references are refused, never fetched.
 *
 * @throws SchemaError that names the place and the hint.
 */
export function audit(root: JsonSchema, what: string): void {
  auditNode(root, root, "", what, new Set());
}

/** Whether every valid value is an object. A root without a type counts as an object. */
export function describesObject(root: JsonSchema): boolean {
  // Each part is checked once: the number of ways to reach the same part can be exponential.
  const judged = new Map<unknown, boolean>();
  const isObject = (schema: unknown): boolean => {
    if (!isRecord(schema)) return false;
    const known = judged.get(schema);
    if (known !== undefined) return known;
    // A part that refers to itself describes nothing.
    judged.set(schema, false);
    const answer = judge(schema);
    judged.set(schema, answer);
    return answer;
  };
  const judge = (schema: JsonSchema): boolean => {
    const { type } = schema;
    if (typeof type === "string") return type.toLowerCase() === "object";
    if (Array.isArray(type)) return type.some((name) => String(name).toLowerCase() === "object");
    if (schema.$ref !== undefined) return isObject(deref(root, schema));
    const branches = [...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")];
    if (branches.length > 0) return branches.every(isObject);
    return schema.enum === undefined && schema.const === undefined;
  };
  return isObject(root);
}

function auditNode(root: JsonSchema, node: unknown, at: string, what: string, above: Set<unknown>): void {
  if (typeof node === "boolean") return;
  const refuse: Refuse = (problem, cure) => {
    throw new SchemaError(`The JSON Schema of ${what} ${problem} at ${at || "its root"}.`, cure);
  };
  if (!isRecord(node)) refuse("has something that is not a schema", "Write an object, or true or false.");
  if (above.size >= DEEPEST) refuse(`is nested more than ${DEEPEST} deep`, "Make it flatter.");
  if (above.has(node)) refuse("contains itself", 'Point at the repeated part with {"$ref": "#/$defs/..."}.');
  auditType(node.type, refuse);
  for (const keyword of MAPS)
    if (node[keyword] !== undefined && !isRecord(node[keyword]))
      refuse(`has "${keyword}" that is not an object`, `Make "${keyword}" an object of schemas by name.`);
  for (const keyword of LISTS)
    if (node[keyword] !== undefined && !Array.isArray(node[keyword]))
      refuse(`has "${keyword}" that is not a list`, `Make "${keyword}" a list.`);
  auditRequired(node.required, refuse);
  auditPatterns(node, refuse);
  auditRef(root, node, refuse);
  above.add(node);
  for (const [pointer, child] of subschemas(node)) auditNode(root, child, at + pointer, what, above);
  above.delete(node);
}

type Refuse = (problem: string, cure: string) => never;

function auditType(type: unknown, refuse: Refuse): void {
  for (const name of Array.isArray(type) ? type : type === undefined ? [] : [type])
    if (!(TYPE_NAMES as readonly unknown[]).includes(typeof name === "string" ? name.toLowerCase() : name))
      refuse(`has the unknown type ${JSON.stringify(name)}`, `Use one of ${TYPE_NAMES.join(", ")}.`);
}

function auditRequired(required: unknown, refuse: Refuse): void {
  if (required === undefined || typeof required === "boolean") return;
  if (!Array.isArray(required) || required.some((name) => typeof name !== "string"))
    refuse('has "required" that is not a list of names', 'List the names: "required": ["file_path"].');
}

function auditPatterns(node: JsonSchema, refuse: Refuse): void {
  const { pattern } = node;
  if (pattern !== undefined && typeof pattern !== "string" && !(pattern instanceof RegExp))
    refuse('has a "pattern" that is not text', "Write the regular expression as a string.");
  if (typeof pattern === "string" && !compiles(() => readable(pattern)))
    refuse(`has the pattern ${JSON.stringify(pattern)}, which is not a regular expression`, "Correct the pattern.");
  for (const name of isRecord(node.patternProperties) ? Object.keys(node.patternProperties) : [])
    if (!compiles(() => new RegExp(name, "u")))
      refuse(
        `has the property pattern ${JSON.stringify(name)}, which is not a regular expression`,
        "Correct the pattern.",
      );
}

function auditRef(root: JsonSchema, node: JsonSchema, refuse: Refuse): void {
  if (node.$ref === undefined) return;
  if (typeof node.$ref !== "string") refuse('has a "$ref" that is not text', "Write it as a string.");
  if (deref(root, node) !== undefined) return;
  refuse(
    `has the reference "${node.$ref}", which does not exist in this schema`,
    'References are never fetched: put the target under "$defs" and write {"$ref": "#/$defs/..."}.',
  );
}

function compiles(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
