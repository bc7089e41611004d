/** @module Tools of any shape as they are: those of `compat`, the AI SDK, Mastra, LangChain, OpenAI Agents, MCP and Anthropic. */
import { fail, HaftError, type Tool } from "../../tool/index.ts";
import { mcpContent } from "./content.ts";
import { fromCommon } from "./from.ts";
import { fromOwnShape } from "./own-shapes.ts";
import { isAgents, isAiSdk, isLangchain, isMcp, isRunnable } from "./shapes.ts";

export type {
  AgentsShape,
  AiSdkShape,
  ForeignTool,
  LangchainShape,
  MastraShape,
  McpShape,
  RunnableShape,
} from "./shapes.ts";

type Fields = Readonly<Record<string, unknown>>;
type Run = (...args: unknown[]) => unknown;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/**
 * Converts a tool of another SDK, or a record of such tools by name. Returns `undefined` for a tool of Haft's own form.
 *
 * @param where its place in the list, for errors: "tools[2]".
 * @throws HaftError `validation_failed` for anything that cannot be a tool, with its shape and the cure.
 */
export function fromForeign(candidate: unknown, where = "This"): readonly Tool[] | undefined {
  if (!isFields(candidate)) return refuse(where, shapeOf(candidate), "Pass the tool object itself.");
  const one = fromOne(candidate, undefined, where);
  if (one) return [one];
  if (typeof candidate.name === "string" && ("run" in candidate || "input" in candidate)) return undefined;
  const entries = Object.entries(candidate);
  const isRecord = entries.length > 0 && entries.every(([, value]) => isFields(value) && isAnyForeign(value));
  if (isRecord) return entries.map(([name, tool]) => fromOne(tool as Fields, name, `${where}.${name}`)!);
  return refuseShape(candidate, where);
}

const isAnyForeign = (tool: Fields): boolean =>
  fromOwnShape({ name: "tool", ...tool }) !== undefined ||
  [isAgents, isLangchain, isRunnable, isMcp, isAiSdk].some((is) => is(tool));

/** One tool. `key` is its name in a record. */
function fromOne(tool: Fields, key: string | undefined, where: string): Tool | undefined {
  const text = (name: string): string | undefined => (typeof tool[name] === "string" ? tool[name] : undefined);
  const own = key ?? text("name") ?? text("id");
  const shaped = fromOwnShape(key === undefined ? tool : { name: key, ...tool });
  if (shaped) return shaped;
  const bound = (name: string): Run => (tool[name] as Run).bind(tool);
  const named = (shape: string) => ({
    shape,
    name: own ?? refuse(where, `a tool of ${shape} without a name`, "Pass it by name: tools: [{ weather: tool }]."),
    title: text("title"),
    description: text("description"),
  });
  if (isAgents(tool))
    return fromCommon({
      ...named("OpenAI Agents"),
      schema: tool.parameters,
      approval: approvalOf(tool.needsApproval, (needs, input) => needs({}, input)),
      run: (input, { call, signal }) =>
        bound("invoke")({ context: {} }, JSON.stringify(input), { toolCall: { callId: call.id }, signal }),
    });
  if (isLangchain(tool))
    return fromCommon({
      ...named("LangChain"),
      schema: tool.schema,
      run: async (args, { call, signal }) => {
        const request = { type: "tool_call", id: call.id, name: own, args };
        const answer = (await bound("invoke")(request, { signal })) as Fields | undefined;
        if (!isFields(answer) || !("tool_call_id" in answer)) return answer;
        return answer.status === "error" ? fail("execution_failed", String(answer.content)) : answer.content;
      },
    });
  if (isRunnable(tool))
    return fromCommon({
      ...named("Anthropic's SDK"),
      schema: tool.input_schema,
      run: (input, { call, signal }) =>
        bound("run")(bound("parse")(input), { toolUse: { type: "tool_use", id: call.id, name: own, input }, signal }),
    });
  if (isMcp(tool))
    return fromCommon({
      ...named("an MCP server"),
      schema: tool.inputSchema,
      run: async (input, { signal }) =>
        mcpContent(await (tool.inputSchema ? bound("handler")(input, { signal }) : bound("handler")({ signal }))),
    });
  if (isAiSdk(tool))
    return fromCommon({
      ...named("the AI SDK"),
      schema: tool.inputSchema,
      approval: approvalOf(tool.needsApproval ?? tool.requireApproval, (needs, input) =>
        needs(input, { messages: [] }),
      ),
      run: (input, { call, signal }) =>
        bound("execute")(input, {
          toolCallId: call.id,
          messages: [],
          abortSignal: signal,
          agent: { toolCallId: call.id },
        }),
    });
  return undefined;
}

const approvalOf = (needs: unknown, call: (needs: Run, input: unknown) => unknown): unknown =>
  typeof needs === "function" ? (input: unknown) => call(needs as Run, input) : needs;

function shapeOf(value: unknown): string {
  if (typeof value === "function") return /^class\b/.test(String(value)) ? "a class" : "a function";
  return value === null ? "null" : typeof value === "string" ? `the text "${value}"` : `a ${typeof value}`;
}

/** Names what was given, as far as it can be told, and the way to use it. */
function refuseShape(tool: Fields, where: string): never {
  if (tool.type === "provider" || tool.type === "provider-defined" || tool.isProviderExecuted === true)
    return refuse(where, "a tool that runs at the provider", "Pass it to the model request beside Haft's tools.");
  if ("inputSchema" in tool)
    return refuse(
      where,
      "a tool without `execute`, to be run by the client",
      "Give it `execute`, or leave it out here.",
    );
  if (typeof tool.connect === "function" || typeof tool.registerTool === "function")
    return refuse(where, "an MCP server", "Name it in the setting mcpServers, or pass the tools of registerTool.");
  if (typeof tool.tools === "function")
    return refuse(where, "an MCP client", "Pass the record of its tools: tools: [await client.tools()].");
  if (Array.isArray(tool)) return refuse(where, "a list", "Spread it: tools: [...list].");
  const keys = Object.keys(tool).slice(0, 6).join(", ");
  return refuse(
    where,
    `an object with the fields ${keys || "(none)"}`,
    "Pass one made with defineTool or the tool() of an SDK.",
  );
}

const refuse = (where: string, what: string, cure: string): never => {
  throw new HaftError({
    code: "validation_failed",
    message: `${where} is ${what}, which cannot be a tool.`,
    hint: cure,
  });
};
