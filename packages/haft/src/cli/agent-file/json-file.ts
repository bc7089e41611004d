import { existsSync, readFileSync } from "node:fs";
import { applyEdits, type JSONPath, modify, type ParseError, parse } from "jsonc-parser";
import { UsageError } from "../exit-code.ts";

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

/** The text of a file, if there is one. */
export const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/**
 * Parses a settings file that may have comments.
 *
 * @throws UsageError when it does not hold an object.
 */
export function parseJsonFile(file: string, text: string | undefined): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const value: unknown = text === undefined ? {} : parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${file} is not a JSON object. It was not changed.`, "Correct it by hand, then try again.");
  return value as Readonly<Record<string, unknown>>;
}

/** Sets a value in JSON text, or removes it (`undefined`). Comments and the layout of the rest stay. */
export const setJson = (text: string, path: JSONPath, value: unknown): string =>
  applyEdits(text, modify(text, path, value, FORMAT));

/** Adds an entry at the end of a list in JSON text. Makes the list if there is none. */
export function appendJson(text: string, path: JSONPath, entry: unknown): string {
  const list = jsonAt(text, path);
  if (!Array.isArray(list)) return setJson(text, path, [entry]);
  return applyEdits(text, modify(text, [...path, list.length], entry, { ...FORMAT, isArrayInsertion: true }));
}

/** The value at a path of JSON text. */
export const jsonAt = (text: string, path: JSONPath): unknown =>
  path.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    parse(text, [], { allowTrailingComma: true }),
  );
