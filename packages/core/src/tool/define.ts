import { toSchema } from "../schema/index.ts";
import { isSchema } from "../schema/schema.ts";
import type { Infer, SchemaLike } from "../schema/standard.ts";
import { unknown } from "./effect.ts";
import { HaftError } from "./error.ts";
import { checkName } from "./name.ts";
import { type RuleTraits, specifierKinds, type Tool, type ToolDefinition } from "./tool.ts";

/**
 * Makes a tool: checks its names, converts its schema to the common form, fills defaults. Every default is the careful
 * one: a tool without declared effects has `unknown` effects, so it asks and runs alone.
 *
 * @throws HaftError `validation_failed` when a name, the schema or an override cannot be used.
 */
export function defineTool<const S extends SchemaLike, O extends Infer<Out>, const Out extends SchemaLike = SchemaLike>(
  definition: ToolDefinition<S, O, Out>,
): Tool<Infer<S>, O> {
  checkName(definition.name);
  definition.aliases?.forEach(checkName);
  if (definition.override && !definition.override.because)
    throw invalid(definition.name, "overrides a derived property without a reason", 'Say why in "override.because".');
  if (definition.rules) checkRules(definition.name, definition.rules);
  const { input, output, effects, ...rest } = definition;
  return {
    can: ["unknown"],
    ...rest,
    input: toSchema<Infer<S>>(input, `tool ${definition.name}`),
    ...(output === undefined
      ? {}
      : { output: toSchema<O>(output, `output of tool ${definition.name}`, { root: "any" }) }),
    effects: effects ?? (() => [unknown(`${definition.name} does not declare its effects`)]),
  };
}

/** Any plain object that is a tool: a finished one, or a definition with any kind of schema. */
export type ToolLike = Tool | ToolDefinition<SchemaLike, unknown>;

/** Converts a tool given as a plain object to the common form. Returns a finished tool unchanged. */
export function asTool(candidate: ToolLike): Tool {
  return isSchema(candidate.input) && candidate.effects
    ? (candidate as Tool)
    : (defineTool(candidate as ToolDefinition<SchemaLike, unknown>) as Tool);
}

function checkRules(name: string, { specifier, groups = [] }: RuleTraits): void {
  if (specifier !== undefined && !specifierKinds.includes(specifier))
    throw invalid(name, `has the unknown rules.specifier "${specifier}"`, `Use one of ${specifierKinds.join(", ")}.`);
  const odd = groups.find((group) => !/^[a-z][a-z0-9-]*$/.test(group));
  if (odd !== undefined)
    throw invalid(
      name,
      `names the group "${odd}"`,
      'Write the group in lower case and without "group:", such as "fs".',
    );
}

function invalid(name: string, what: string, cure: string): HaftError {
  return new HaftError({ code: "validation_failed", message: `Tool "${name}" ${what}.`, hint: cure });
}
