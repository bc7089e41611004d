import type { JsonSchema } from "@haft/core/schema";

/** Most values of a choice that are written out, and most levels of objects. */
const MOST_VALUES = 8;
const MOST_LEVELS = 2;

/** A tool as a function of a script: `Read({ file_path: string, offset?: number })`. */
export function signatureOf(name: string, input: JsonSchema): string {
  const called = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `[${JSON.stringify(name)}]`;
  return `${called}(${fieldsOf(input, 1)})`;
}

/** An object with its fields. */
function fieldsOf(schema: JsonSchema, level: number): string {
  const fields = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  const required = (schema.required ?? []) as readonly string[];
  const written = fields.map(
    ([field, type]) => `${field}${required.includes(field) ? "" : "?"}: ${typeOf(type, level)}`,
  );
  return written.length === 0 ? "{}" : `{ ${written.join(", ")} }`;
}

/** A type in the words of TypeScript, as short as it can be. */
function typeOf(schema: JsonSchema | boolean | undefined, level: number): string {
  if (typeof schema !== "object" || schema === null) return "unknown";
  const values = schema.const === undefined ? (schema.enum as readonly unknown[] | undefined) : [schema.const];
  if (values && values.length <= MOST_VALUES) return values.map((value) => JSON.stringify(value)).join(" | ");
  const ways = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (ways) return [...new Set(ways.map((way) => typeOf(way, level)))].join(" | ");
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return [...new Set(types.map((type) => wordOf(type as string | undefined, schema, level)))].join(" | ");
}

function wordOf(type: string | undefined, schema: JsonSchema, level: number): string {
  if (type === "integer" || type === "number") return "number";
  if (type === "string" || type === "boolean" || type === "null") return type;
  if (type === "array") {
    const item = typeOf(schema.items as JsonSchema | undefined, level);
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (type !== "object") return "unknown";
  return schema.properties && level < MOST_LEVELS ? fieldsOf(schema, level + 1) : "object";
}
