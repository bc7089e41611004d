import { withKeys } from "../json/walk.ts";
import type { JsonSchema } from "../standard.ts";

/** Keywords that tell a model something, in the words for its description. */
const WORDS: Readonly<Record<string, string>> = {
  default: "Default",
  exclusiveMaximum: "Less than",
  exclusiveMinimum: "More than",
  format: "Format",
  maxLength: "Longest length",
  minLength: "Shortest length",
  pattern: "Pattern",
};

/**
 * The schema without the keywords that a provider refuses. A constraint that tells a model something moves into the
 * description; all of them are still checked when the call arrives.
 */
export function withHints(schema: JsonSchema, isAllowed: (keyword: string) => boolean): JsonSchema {
  const dropped = Object.keys(schema).filter((keyword) => !isAllowed(keyword));
  if (dropped.length === 0) return schema;
  const hints = dropped.flatMap((keyword) => {
    const word = WORDS[keyword];
    const value = schema[keyword];
    if (word === undefined || value === null || value === undefined || value === "") return [];
    return [`${word}: ${value instanceof RegExp ? value.source : JSON.stringify(value)}.`];
  });
  const own = typeof schema.description === "string" ? schema.description : "";
  const description = [own, ...hints].filter((text) => text !== "").join(" ");
  const gone = Object.fromEntries(dropped.map((keyword) => [keyword, undefined]));
  return withKeys(schema, { ...gone, ...(description === own ? {} : { description }) });
}
