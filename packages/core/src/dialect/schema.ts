import type { JsonSchema, Schema } from "../schema/index.ts";
import type { DialectTool } from "./table.ts";

/** A tool's schema with the family's parameters. It describes what the model sends; calls are checked by the tool's own. */
export function dialectSchema(
  schema: Schema,
  { fields = {}, omit = [], convert = [] }: DialectTool,
  words: (text: string) => string,
): Schema {
  const json = schema.json as { properties?: Record<string, JsonSchema>; required?: readonly string[] };
  const replaced = new Set([...omit, ...convert.flatMap(({ ours }) => ours)]);
  const kept = Object.entries(json.properties ?? {}).filter(([key]) => !replaced.has(key));
  const required = (json.required ?? []).filter((key) => !replaced.has(key)).map((key) => fields[key] ?? key);
  const more = convert.flatMap((one) => one.required ?? []);
  const properties = Object.fromEntries([
    ...kept.map(([key, value]) => [fields[key] ?? key, inWords(value, words)]),
    ...convert.flatMap(({ theirs }) => Object.entries(theirs)),
  ]);
  const own = {
    ...(schema.json as object),
    properties,
    ...(required.length + more.length > 0 ? { required: [...required, ...more] } : {}),
  };
  if (required.length + more.length === 0) delete (own as { required?: unknown }).required;
  return { ...schema, json: own as JsonSchema };
}

/** The same schema, with every description in the family's names. */
function inWords(value: JsonSchema, words: (text: string) => string): JsonSchema {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { description } = value as { description?: unknown };
  return typeof description === "string" ? { ...value, description: words(description) } : value;
}
