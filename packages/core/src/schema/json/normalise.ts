import type { JsonSchema } from "../standard.ts";
import { listOf, rewrite, withKeys } from "./walk.ts";

export const TYPE_NAMES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/**
 * The schema as intended, for validating and for explaining; the author's own object stays unchanged. Type names become
 * lower case (Gemini writes `OBJECT`). A boolean `required` (draft 3) is dropped. An empty `enum`, which no value fits
 * and providers refuse, becomes its plain type. A pattern that is valid only without the `u` flag is kept as such a
 * regular expression.
 */
export function normalise(schema: JsonSchema): JsonSchema {
  return rewrite(schema, (node) =>
    withKeys(node, {
      ...(node.type === undefined ? {} : { type: lowerType(node.type) }),
      ...(typeof node.required === "boolean" ? { required: undefined } : {}),
      ...(isEmptyEnum(node) ? { enum: undefined } : {}),
      ...(typeof node.pattern === "string" ? { pattern: readable(node.pattern) } : {}),
    }),
  );
}

/** Whether no value can fit, because a list built at run time was empty. */
const isEmptyEnum = (schema: JsonSchema): boolean => Array.isArray(schema.enum) && listOf(schema, "enum").length === 0;

/** The pattern, compiled without the `u` flag if only that works: many servers write `[\w-.]`. */
export function readable(pattern: string): string | RegExp {
  try {
    new RegExp(pattern, "u");
    return pattern;
  } catch {
    return new RegExp(pattern);
  }
}

function lowerType(type: unknown): unknown {
  if (typeof type === "string") return type.toLowerCase();
  if (!Array.isArray(type) || type.every((name) => name === lowerType(name))) return type;
  return type.map(lowerType);
}
