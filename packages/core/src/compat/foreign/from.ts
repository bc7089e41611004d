import type { SchemaLike } from "../../schema/index.ts";
import { type CallContext, type Content, defineTool, fail, type Tool, unknown } from "../../tool/index.ts";
import { contentOf } from "./content.ts";

/** The part that all shapes have in common. */
export interface Common {
  readonly shape: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly schema: unknown;
  /** The tool's own condition for asking a person: it tightens. */
  readonly approval?: unknown;
  run(input: unknown, ctx: CallContext): unknown;
  /** The output for the model. Default: by its form. */
  toModel?(output: unknown): readonly Content[] | undefined;
}

/**
 * A tool of another SDK as ours. Its effects are unknown, so it asks unless a rule allows it by name; its own wish to ask
 * is kept, whatever the rules say.
 */
export function fromCommon({ shape, name, title, description = "", schema, approval, ...tool }: Common): Tool {
  return defineTool({
    name,
    description,
    ...(title === undefined ? {} : { title }),
    input: schemaOf(schema, `${shape} ${name}`),
    can: ["unknown"],
    effects: () => [unknown(`${name} is a tool of ${shape} and does not declare its effects`)],
    async object(input) {
      const asks = typeof approval === "function" ? await approval(input) : approval === true;
      return asks ? { behavior: "ask", reason: `${name} asks for approval itself (needsApproval).` } : undefined;
    },
    run: async (input, ctx) => finished(await tool.run(input, ctx)),
    toModel: (output) => tool.toModel?.(output) ?? contentOf(output),
  }) as Tool;
}

/** The last value of a generator: what it yields before is progress. */
async function finished(output: unknown): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const value of output as AsyncIterable<unknown>) last = value;
  return last;
}

/** The AI SDK wraps JSON Schema as `{ jsonSchema, validate }`, and schemas may be lazy. */
function schemaOf(schema: unknown, what: string): SchemaLike {
  if (schema === undefined) return { type: "object", properties: {} };
  if (typeof schema === "function" && !("~standard" in schema)) return schemaOf(schema(), what);
  if (typeof schema === "object" && schema !== null) {
    if ("~standard" in schema) return schema as SchemaLike;
    const json = "jsonSchema" in schema ? schema.jsonSchema : schema;
    if (typeof json === "object" && json !== null && !(json instanceof Promise)) return json as SchemaLike;
  }
  return fail(
    "validation_failed",
    `The input schema of ${what} is unknown before the first call.`,
    "Give it a Zod schema or a JSON Schema object.",
  );
}
