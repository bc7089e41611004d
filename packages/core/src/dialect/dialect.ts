import type { Offer, Offered } from "../registry/index.ts";
import { fail, type ToolError } from "../tool/index.ts";
import { convertedInput, renamed } from "./input.ts";
import { dialectSchema } from "./schema.ts";
import type { DialectTable, DialectTool, Input } from "./table.ts";

/** Presents tools under another family's names, and translates calls back. Rules, hooks and records see Haft's names only. */
export interface Dialect {
  readonly name: string;
  readonly tools: readonly DialectTool[];
  /** An offer in the family's names. Names of tools that exist under a name of the family stay with these tools. */
  offer(offer: Offer, isTaken: (name: string, tool: string) => boolean): Offer;
  /** The tool behind a name of the family. */
  toolOf(name: string): string | undefined;
  /** The input of a call by a name of the family, in Haft's names. */
  input(name: string, input: unknown): unknown;
  /** An error in the names that the model used. */
  error(tool: string, error: ToolError): ToolError;
}

/** @throws HaftError `validation_failed` when two tools have one name. */
export function createDialect({ name, tools }: DialectTable): Dialect {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const twice = tools.find((tool) => byName.get(tool.name) !== tool);
  if (twice)
    fail("validation_failed", `Two tools of the dialect "${name}" are called ${twice.name}.`, "Rename or remove one.");
  const byTool = new Map([...tools].reverse().map((tool) => [tool.tool, tool]));
  const inWords = toolWords(byTool);

  function offered(tool: Offered, known: DialectTool | undefined): Offered {
    const description = known?.description ?? inWords(tool.description);
    if (!known) return { ...tool, description };
    const { title: _, ...rest } = tool;
    const words = fieldWords(known);
    return {
      ...rest,
      name: known.name,
      description: words(description),
      input: dialectSchema(tool.input, known, words),
    };
  }

  return {
    name,
    tools,
    offer({ tools: all, prompt, deferred, loader, ...rest }, isTaken) {
      const knownAs = (tool: string) => {
        const known = byTool.get(tool);
        return known && !isTaken(known.name, tool) ? known : undefined;
      };
      const spoken = (tool: string): string => knownAs(tool)?.name ?? tool;
      return {
        ...rest,
        tools: all.map((tool) => offered(tool, knownAs(tool.name))),
        prompt: prompt.map(inWords),
        deferred: deferred.map(spoken),
        ...(loader === undefined ? {} : { loader: spoken(loader) }),
      };
    },
    toolOf: (called) => byName.get(called)?.tool,
    input(called, input) {
      const known = byName.get(called);
      const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
      return known && isObject ? convertedInput(known, input as Input) : input;
    },
    error(called, error) {
      const known = byName.get(called);
      const words = (text: string) => (known ? fieldWords(known)(inWords(text)) : inWords(text));
      const { message, hint, advice, details } = error;
      return {
        ...error,
        message: words(message),
        ...(hint === undefined ? {} : { hint: words(hint) }),
        ...(advice === undefined ? {} : { advice: words(advice) }),
        ...(details?.issues === undefined || !known
          ? {}
          : { details: { ...details, issues: issuesIn(known, details.issues) } }),
      };
    },
  };
}

/** Replaces the names of tools where a text certainly means a tool: after such a verb, in backticks or quotes, or before "(". */
function toolWords(tools: ReadonlyMap<string, DialectTool>): (text: string) => string {
  const changed = [...tools.values()].filter(({ tool, name }) => tool !== name);
  if (changed.length === 0) return (text) => text;
  const names = changed.map(({ tool }) => tool).join("|");
  const meant = new RegExp(
    `(\\b(?:[Uu]se|[Cc]all|[Ww]ith|[Bb]y|[Tt]hrough|[Pp]refer|than|or) )(${names})\\b(?! to\\b)|([\`"'])(${names})(?=[\`"'(])|\\b(${names})(?=\\()`,
    "g",
  );
  return (text) =>
    text.replace(meant, (whole, verb, afterVerb, quote, quoted, called) => {
      const found: string = afterVerb ?? quoted ?? called;
      const other = tools.get(found)?.name;
      return other === undefined ? whole : `${verb ?? quote ?? ""}${other}`;
    });
}

/** Replaces the names of parameters: in quotes or backticks, and bare where the name is no English word. */
function fieldWords({ fields = {}, convert = [] }: DialectTool): (text: string) => string {
  const names = { ...fields, ...Object.assign({}, ...convert.map(({ says }) => says ?? {})) } as Record<string, string>;
  const known = Object.keys(names);
  if (known.length === 0) return (text) => text;
  const bare = known.filter((field) => field.includes("_"));
  const escaped = (list: readonly string[]) => list.map((field) => field.replaceAll("-", "\\-")).join("|");
  const quoted = `(?<=[\`"'])(?:${escaped(known)})(?=[\`"'])|^(?:${escaped(known)})(?=:)`;
  const meant = new RegExp(bare.length > 0 ? `${quoted}|\\b(?:${escaped(bare)})\\b` : quoted, "gm");
  return (text) => text.replace(meant, (field) => names[field]!);
}

const issuesIn = (known: DialectTool, issues: unknown): unknown =>
  Array.isArray(issues)
    ? issues.map((issue: { path: string }) => ({ ...issue, path: renamed(known.fields ?? {}, issue.path) }))
    : issues;
