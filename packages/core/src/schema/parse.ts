import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue, Parsed, Schema } from "./standard.ts";

/**
 * Checks an input and returns the parsed value: defaults filled, transforms applied, the input itself unchanged.
 * Synchronous if the validator is.
 */
export function parse<T>(schema: Schema<T>, input: unknown): Parsed<T> | Promise<Parsed<T>> {
  const result = schema["~standard"].validate(input);
  return "then" in result ? result.then(parsed<T>) : parsed<T>(result);
}

function parsed<T>(result: StandardSchemaV1.Result<T>): Parsed<T> {
  if (result.issues) return { ok: false, issues: result.issues.map(toIssue) };
  return { ok: true, value: result.value };
}

function toIssue({ message, path = [] }: StandardSchemaV1.Issue): Issue {
  return { message, path: path.map((part) => toKey(typeof part === "object" ? part.key : part)) };
}

const toKey = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key);
