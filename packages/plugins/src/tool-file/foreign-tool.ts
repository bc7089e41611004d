import { fromAgentTool } from "@haft/core/compat/agent-tool";
import { toSchema } from "@haft/core/schema";
import { asTool, defineTool, type Tool, type ToolLike, unknown } from "@haft/core/tool";

type Plain = Readonly<Record<string, unknown>>;

/**
 * The tool in an exported value: one of Haft, an AI SDK `tool()`, a tool of an opencode file (`args`), or one that a plugin
 * registers (`parameters`, `execute(id, params)`). `undefined`: the value is not a tool. Foreign shapes declare no effects, so
 * their calls ask.
 *
 * @throws HaftError `validation_failed` for a tool whose name or schema cannot be used.
 */
export function toolIn(value: unknown, name: string): Tool | undefined {
  if (!isPlain(value)) return undefined;
  if (typeof value.run === "function" && "input" in value)
    return asTool({ name, description: "", ...value } as unknown as ToolLike);
  if (typeof value.execute !== "function") return undefined;
  const execute = value.execute as (...given: unknown[]) => unknown;
  const named = { name, description: "", ...value };
  if ("inputSchema" in value)
    return functionTool(named, value.inputSchema, (input, { id, signal }) =>
      execute.call(value, input, { toolCallId: id, messages: [], abortSignal: signal }),
    );
  if (isPlain(value.args))
    return functionTool(named, objectOf(value.args), (input, { id, signal }) =>
      execute.call(value, input, { sessionID: "", messageID: "", callID: id, abort: signal, metadata() {} }),
    );
  return "parameters" in value ? (fromAgentTool(named as never) as Tool) : undefined;
}

interface Running {
  readonly id: string;
  readonly signal: AbortSignal;
}

/** A tool of a function that takes an input and returns text or a value. */
const functionTool = (
  { name, description }: { readonly name: string; readonly description: unknown },
  input: unknown,
  run: (input: unknown, running: Running) => unknown,
): Tool =>
  defineTool({
    name,
    description: String(description ?? ""),
    input: input as never,
    can: ["unknown"],
    effects: () => [unknown(`${name} does not declare its effects`)],
    run: (given, { call, signal }) => Promise.resolve(run(given, { id: call.id, signal })).then(shown),
  }) as Tool;

/** A result with a title and an output shows the output. */
const shown = (output: unknown): unknown =>
  isPlain(output) && typeof output.output === "string" ? output.output : output;

/** The schema of an object whose fields have schemas of their own. */
function objectOf(fields: Plain): object {
  const parts = Object.entries(fields).map(([name, schema]) => {
    const field = toSchema(schema as never, `the field ${name}`, { root: "any" });
    const isOptional =
      typeof (schema as { isOptional?: unknown }).isOptional === "function" &&
      (schema as { isOptional(): boolean }).isOptional();
    return { name, json: field.json, isOptional };
  });
  return {
    type: "object",
    properties: Object.fromEntries(parts.map(({ name, json }) => [name, json])),
    required: parts.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  };
}

const isPlain = (value: unknown): value is Plain => typeof value === "object" && value !== null;
