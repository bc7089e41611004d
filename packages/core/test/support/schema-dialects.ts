import type { JsonSchema } from "../../src/schema/index.ts";
import { deref } from "../../src/schema/json/ref.ts";
import { isRecord, listOf, mapOf, subschemas } from "../../src/schema/json/walk.ts";

/** The keywords and forms that OpenAI's strict mode refuses, written from its documentation. */
export function strictProblems(root: JsonSchema): string[] {
  const allowed = new Set(
    `type properties required additionalProperties items enum const anyOf $ref $defs title description minimum maximum
     exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems pattern format`.split(/\s+/),
  );
  return problems(root, (node) => {
    const found = Object.keys(node).filter((keyword) => !allowed.has(keyword));
    if ("$ref" in node && Object.keys(node).length > 1) found.push("beside $ref");
    if (isOf(node, "object")) {
      if (node.additionalProperties !== false) found.push("open object");
      const missing = Object.keys(mapOf(node, "properties")).filter((name) => !listOf(node, "required").includes(name));
      found.push(...missing.map((name) => `optional ${name}`));
    }
    if (isOf(node, "array") && !isRecord(node.items)) found.push("no items");
    if (!["type", "$ref", "anyOf"].some((keyword) => keyword in node)) found.push("no type");
    return found;
  });
}

/** The keywords and forms that Gemini's `parametersJsonSchema` refuses, written from its documentation. */
export function geminiProblems(root: JsonSchema): string[] {
  const allowed = new Set(
    `$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf
     oneOf properties additionalProperties required`.split(/\s+/),
  );
  return problems(root, (node) => {
    const found = Object.keys(node).filter((keyword) => !allowed.has(keyword));
    if ("$ref" in node && Object.keys(node).some((keyword) => !keyword.startsWith("$"))) found.push("beside $ref");
    if ("$ref" in node && !isRecord(deref(root, node))) found.push(`lost ${node.$ref}`);
    if (listOf(node, "enum").some((value) => typeof value !== "string" && typeof value !== "number"))
      found.push("enum");
    return found;
  });
}

function problems(root: JsonSchema, check: (node: JsonSchema) => string[]): string[] {
  const found: string[] = [];
  const walk = (node: unknown, at: string): void => {
    if (!isRecord(node)) return;
    found.push(...check(node).map((problem) => `${at} ${problem}`));
    for (const [pointer, child] of subschemas(node)) walk(child, at + pointer);
  };
  walk(root, "#");
  return found;
}

const isOf = ({ type }: JsonSchema, name: string): boolean =>
  Array.isArray(type) ? type.includes(name) : type === name;

/** A small value that fits a schema: required fields only, the first of each choice. */
export function sampleOf(root: JsonSchema, schema: unknown, depth = 0): unknown {
  const node = deref(root, schema);
  if (!isRecord(node) || depth > 20) return null;
  if ("const" in node) return node.const;
  if (Array.isArray(node.enum)) return node.enum[0];
  for (const keyword of ["anyOf", "oneOf"]) {
    const [first] = listOf(node, keyword);
    if (first !== undefined) return sampleOf(root, first, depth + 1);
  }
  const type = Array.isArray(node.type) ? node.type[0] : node.type;
  if (type === "string") return typeof node.format === "string" ? FORMATTED[node.format] : "xxxxxxxx";
  if (type === "boolean") return true;
  if (type === "number" || type === "integer")
    return Number(node.minimum ?? (node.exclusiveMinimum === undefined ? 1 : Number(node.exclusiveMinimum) + 1));
  if (type === "array")
    return Array.from({ length: Number(node.minItems ?? 1) }, () => sampleOf(root, node.items, depth + 1));
  if (type !== "object") return "anything";
  const required = new Set(listOf(node, "required"));
  return Object.fromEntries(
    Object.entries(mapOf(node, "properties"))
      .filter(([name]) => required.has(name))
      .map(([name, child]) => [name, sampleOf(root, child, depth + 1)]),
  );
}

const FORMATTED: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  email: "a@example.org",
  uri: "https://example.org/",
  uuid: "3f2b8c1e-8a0b-4e0a-9c55-0a5d7f2b8c1e",
};
