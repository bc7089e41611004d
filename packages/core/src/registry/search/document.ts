import type { JsonSchema } from "../../schema/index.ts";
import { stem } from "./stem.ts";
import { isStopWord, withProducts, wordsOf } from "./words.ts";

/** The searchable data of a tool. Only the name is required. */
export interface SearchableTool {
  readonly name: string;
  /** Other names that a query may use for it. */
  readonly aliases?: readonly string[];
  /** Its source. */
  readonly server?: string;
  readonly title?: string;
  /** Search words from its author. */
  readonly hint?: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
}

/** The parts of a tool that have different weights. */
export const FIELDS = ["name", "hint", "title", "summary", "body", "parameters", "details", "server"] as const;

export type Field = (typeof FIELDS)[number];

/** The stems of a tool's words, by field, in order. */
export type Document = Readonly<Record<Field, readonly string[]>>;

/** Limit in characters for a field. The purpose of a tool is at the start. */
const MOST_CHARS = 3_000;
/** Limits for a schema: the number of properties, and the depth. */
const MOST_PROPERTIES = 80;
const DEEPEST = 4;

/** Reads a tool. The first sentence of a description gives its purpose and counts apart from the rest. */
export function documentOf(tool: SearchableTool, toTerm: (word: string) => string | undefined = termOf): Document {
  const terms = (text: string, kind?: "identifier" | "prose"): string[] =>
    wordsOf(text.slice(0, MOST_CHARS), kind)
      .map(toTerm)
      .filter((term) => term !== undefined);
  const { summary, body } = splitDescription(withProducts(tool.description ?? ""));
  const parameters = parametersOf(tool.inputSchema);
  return {
    name: terms(localName(tool.name)),
    hint: terms(tool.hint ?? "", "prose"),
    title: terms(tool.title ?? "", "prose"),
    summary: terms(summary, "prose"),
    body: terms(body, "prose"),
    parameters: terms(parameters.names.join(" ")),
    details: terms(parameters.texts.join(" "), "prose"),
    server: terms(tool.server ?? "").filter((term) => term !== "server"),
  };
}

/** The stem of a word; `undefined` for a stop word. */
export const termOf = (word: string): string | undefined => (isStopWord(word) ? undefined : stem(word));

/** A name without the prefix for its source: `mcp__github__list_issues` becomes `list_issues`. */
export function localName(name: string): string {
  return /^mcp__.+?__(.+)$/s.exec(name)?.[1] ?? name;
}

/** Limit in characters for a first sentence; one without an end is cut here. */
const LONGEST_SUMMARY = 240;

function splitDescription(description: string): { readonly summary: string; readonly body: string } {
  const text = description.trim();
  const end = /[.!?。](?:\s|$)|\n/.exec(text.slice(0, LONGEST_SUMMARY));
  const at = end ? end.index + 1 : LONGEST_SUMMARY;
  return { summary: text.slice(0, at), body: text.slice(at) };
}

function parametersOf(schema: JsonSchema | undefined): { readonly names: string[]; readonly texts: string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  function visit(node: unknown, depth: number): void {
    if (typeof node !== "object" || node === null || depth > DEEPEST) return;
    const { properties, items, anyOf, oneOf, allOf } = node as JsonSchema;
    if (typeof properties === "object" && properties !== null) {
      for (const [name, property] of Object.entries(properties)) {
        if (names.length >= MOST_PROPERTIES) return;
        names.push(name);
        const { description, enum: values } = (property ?? {}) as JsonSchema;
        if (typeof description === "string") texts.push(description);
        if (Array.isArray(values)) texts.push(values.filter((value) => typeof value === "string").join(" "));
        visit(property, depth + 1);
      }
    }
    visit(items, depth + 1);
    for (const choice of [anyOf, oneOf, allOf])
      if (Array.isArray(choice)) for (const one of choice) visit(one, depth + 1);
  }
  visit(schema, 0);
  return { names, texts };
}
