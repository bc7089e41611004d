import type { JsonSchema } from "../standard.ts";
import { listOf, rewrite, withKeys } from "./walk.ts";

export const TYPE_NAMES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/**
 * The schema as it is meant, for validating and for explaining; the author's own object stays as it is. Type names
 * become lower case (Gemini writes `OBJECT`), a boolean `required` (draft 3) goes, an empty `enum`, which nothing fits
 * and providers refuse, becomes its plain type, and a pattern that only the older regular expressions allow is kept as
 * one of those.
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

/** Whether nothing at all can fit, because a list built at run time came out empty. */
const isEmptyEnum = (schema: JsonSchema): boolean => Array.isArray(schema.enum) && listOf(schema, "enum").length === 0;

/** The pattern, compiled without the `u` flag where only that works: many servers write `[\w-.]`. */
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
