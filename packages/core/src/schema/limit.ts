import type { JsonSchema } from "./standard.ts";
import { quote } from "./words.ts";

/** The bound of a schema that a value of the right type violates, in words; nothing if it violates none. */
export function limitText(schema: JsonSchema, value: unknown): string | undefined {
  if (typeof value === "number") return numberLimit(schema, value);
  if (typeof value === "string") return textLimit(schema, value);
  return Array.isArray(value) ? countLimit(schema, value.length) : undefined;
}

function numberLimit(schema: JsonSchema, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const least = typeof minimum === "number" && value < minimum ? `at least ${minimum}` : undefined;
  const most = typeof maximum === "number" && value > maximum ? `at most ${maximum}` : undefined;
  const above =
    typeof exclusiveMinimum === "number" && value <= exclusiveMinimum ? `more than ${exclusiveMinimum}` : undefined;
  const below =
    typeof exclusiveMaximum === "number" && value >= exclusiveMaximum ? `less than ${exclusiveMaximum}` : undefined;
  const step = typeof multipleOf === "number" && value % multipleOf !== 0 ? `a multiple of ${multipleOf}` : undefined;
  return expected(least ?? most ?? above ?? below ?? step, String(value));
}

function textLimit(schema: JsonSchema, value: string): string | undefined {
  const length = [...value].length;
  const { minLength, maxLength, pattern, format } = schema;
  if (typeof minLength === "number" && length < minLength)
    return expected(`at least ${count(minLength, "character")}`, value === "" ? "an empty string" : `${length}`);
  if (typeof maxLength === "number" && length > maxLength)
    return expected(`at most ${count(maxLength, "character")}`, `${length}`);
  if (pattern !== undefined && !matches(pattern, value))
    return expected(
      typeof format === "string" ? `a string of the format ${format}` : patternText(pattern),
      quote(value),
    );
  return undefined;
}

function countLimit({ minItems, maxItems }: JsonSchema, length: number): string | undefined {
  const least = typeof minItems === "number" && length < minItems ? `at least ${count(minItems, "item")}` : undefined;
  const most = typeof maxItems === "number" && length > maxItems ? `at most ${count(maxItems, "item")}` : undefined;
  return expected(least ?? most, String(length));
}

const patternText = (pattern: unknown): string =>
  `a string that matches ${pattern instanceof RegExp ? pattern : `/${pattern}/`}`;

const expected = (bound: string | undefined, received: string): string | undefined =>
  bound === undefined ? undefined : `expected ${bound}, received ${received}`;

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

const matches = (pattern: unknown, value: string): boolean =>
  typeof pattern === "string" ? new RegExp(pattern, "u").test(value) : pattern instanceof RegExp && pattern.test(value);
