import { suggestionsOf } from "../../approval/index.ts";
import type { Infer, SchemaLike } from "../../schema/index.ts";
import {
  type CallContext,
  type Content,
  type Display,
  defineTool,
  type Effect,
  type EffectContext,
  HaftError,
  type Tool as HaftTool,
  type Objected,
  type Override,
  type Problem,
  type ToolDefinition,
  text,
  toJson,
  wireName,
} from "../../tool/index.ts";
import { CLAIMABLE, claimedEffects, type Trust } from "../claims.ts";
import type {
  CanUseTool,
  PermissionResult,
  Progress,
  Rendered,
  Tool,
  ToolResultBlockParam,
  ToolUseContext,
  ValidationResult,
} from "./types.ts";

/**
 * Converts a tool of this shape to one of ours. Its effects follow from its answers about this input: a read-only call
 * reads its path or the workspace, a call with a path writes that path, anything else asks as `unknown`. `more` may
 * declare them exactly. A claim asks even if it only reads; with `trust: true` a call that only reads the workspace does
 * not. A call that is not concurrency-safe runs alone.
 */
export function fromBuildTool<Input extends SchemaLike, Output, P extends Progress = Progress>(
  tool: Tool<Input, Output, P>,
  { trust, ...more }: Pick<Partial<ToolDefinition<Input, Output>>, "effects" | "can"> & Trust = {},
): HaftTool<Infer<Input>, Output> {
  const { name, prompt } = tool;
  return defineTool<Input, Output>({
    name,
    description: () => descriptionOf(tool),
    input: (tool.inputJSONSchema as Input | undefined) ?? tool.inputSchema,
    can: CLAIMABLE,
    effects: (input) => effectsOf(tool, input),
    overrideFor: (input) => overrideOf(tool, input),
    ...(trust ? { autoExecute: true } : {}),
    ...more,
    ...(tool.outputSchema ? { output: tool.outputSchema } : {}),
    ...aliasesOf(tool),
    ...(tool.searchHint === undefined ? {} : { searchHint: tool.searchHint }),
    ...(tool.alwaysLoad ? { offer: "always" as const } : tool.shouldDefer ? { offer: "deferred" as const } : {}),
    ...(prompt ? { prompt: () => prompt.call(tool) } : {}),
    when: () => tool.isEnabled() || { absent: `${name} reports that it is not enabled here` },
    limits: { resultChars: tool.maxResultSizeChars },
    onInterrupt: tool.interruptBehavior(),
    async validate(input, ctx) {
      return tool.validateInput ? problemOf(tool.name, await tool.validateInput(input, contextOf(ctx))) : undefined;
    },
    async object(input, ctx) {
      const said = await tool.checkPermissions?.(input, contextOf(ctx));
      return said && objectionOf(said);
    },
    ...(tool.preparePermissionMatcher
      ? { matches: (input: Infer<Input>, specifier: string) => tool.preparePermissionMatcher!(input)(specifier) }
      : {}),
    async run(input, ctx) {
      const parent = { id: ctx.session.messageId ?? ctx.call.batch };
      const { data } = await tool.call(input, contextOf(ctx), canUseToolIn(ctx), parent, ctx.progress);
      return data;
    },
    describe(input) {
      const shown = tool.renderToolUseMessage?.(input as Partial<Infer<Input>>);
      const activity = tool.getActivityDescription?.(input as Partial<Infer<Input>>);
      return {
        ...(typeof shown === "string" ? { title: shown } : {}),
        ...(activity === undefined ? {} : { activity }),
      };
    },
    preview: async (input) =>
      tool.renderToolUseMessage
        ? displayOf(tool.renderToolUseMessage(input as Partial<Infer<Input>>))
        : { kind: "text", text: `${await tool.description(input)}\n${toJson(input)}` },
    ...(tool.renderToolResultMessage
      ? { toDisplay: (output: Output) => displayOf(tool.renderToolResultMessage!(output)) }
      : {}),
    ...(tool.backfillObservableInput ? { observe: (input: Infer<Input>) => tool.backfillObservableInput!(input) } : {}),
    ...(tool.mapToolResultToToolResultBlockParam
      ? { toModel: (output, { id }) => contentOf(tool.mapToolResultToToolResultBlockParam!(output, id)) }
      : {}),
  });
}

/** With its name on the MCP server as an alias, rules for that server cover it too. */
function aliasesOf({ name, aliases = [], mcpInfo }: Pick<Tool, "name" | "aliases" | "mcpInfo">) {
  const remote = mcpInfo && `mcp__${wireName(mcpInfo.serverName)}__${wireName(mcpInfo.toolName)}`;
  const all = remote === undefined || remote === name ? aliases : [...aliases, remote];
  return all.length > 0 ? { aliases: all } : {};
}

/** A placeholder for every field of an input, which shows whether a text depends on the input. */
const FIELD = "\u0001field\u0001";
const anyInput = (): object => new Proxy({}, { get: (_, key) => (typeof key === "string" ? FIELD : undefined) });

/** The text for the model must not depend on an input. If it does, the tool's other texts are used. */
async function descriptionOf<Input extends SchemaLike, Output, P>(tool: Tool<Input, Output, P>): Promise<string> {
  const given = await describedWith(tool, {});
  const isWhole = given !== undefined && (!/\bundefined\b/.test(given) || !(await needsInput(tool)));
  if (isWhole) return given;
  return (await tool.prompt?.()) ?? tool.searchHint ?? tool.name;
}

async function needsInput<Input extends SchemaLike, Output, P>(tool: Tool<Input, Output, P>): Promise<boolean> {
  return (await describedWith(tool, anyInput()))?.includes(FIELD) ?? true;
}

/** The description for an input; `undefined` if it needs more than that. */
async function describedWith<Input extends SchemaLike, Output, P>(
  tool: Tool<Input, Output, P>,
  input: object,
): Promise<string | undefined> {
  try {
    return await tool.description(input as Infer<Input>);
  } catch {
    return undefined;
  }
}

/** The tool's own answers about this input, in place of the ones that follow from its effects. */
function overrideOf<Input extends SchemaLike, Output, P>(tool: Tool<Input, Output, P>, input: Infer<Input>): Override {
  const isReadOnly = tool.isReadOnly(input);
  const look = tool.isSearchOrReadCommand?.(input);
  const kind = look?.isSearch ? "search" : look?.isRead ? "read" : undefined;
  return {
    isReadOnly,
    isDestructive: tool.isDestructive(input),
    isConcurrencySafe: tool.isConcurrencySafe(input),
    ...(kind && isReadOnly ? { kind } : {}),
    because: "the tool itself says so for this input",
  };
}

function problemOf(name: string, checked: ValidationResult): Problem | undefined {
  if (checked === true || (typeof checked === "object" && checked?.result === true)) return undefined;
  const said = typeof checked === "object" ? checked?.message : undefined;
  return { message: said ?? `${name} does not accept this input.` };
}

const objectionOf = (said: PermissionResult): Objected => {
  const { updatedInput: input } = { updatedInput: undefined, ...said };
  if (said.behavior === "deny") return { behavior: "deny", reason: said.message };
  if (said.behavior !== "ask") return input === undefined ? undefined : { input };
  const suggestions = suggestionsOf(said.suggestions ?? []);
  return { behavior: "ask", reason: said.message, suggestions, ...(input === undefined ? {} : { input }) };
};

/** An answer that throws counts as the careful one. */
function effectsOf<Input extends SchemaLike, Output, P>(
  tool: Tool<Input, Output, P>,
  input: Infer<Input>,
): readonly Effect[] {
  const path = tool.getPath?.(input);
  const paths = path === undefined ? [] : [path];
  if (tool.isReadOnly(input))
    return claimedEffects({ kind: path === undefined ? "search" : "read", paths, text: tool.name });
  return claimedEffects({ kind: path === undefined ? "other" : "edit", paths, text: tool.name });
}

function canUseToolIn(ctx: CallContext): CanUseTool {
  return async ({ name }, input) => {
    try {
      const { input: updatedInput } = await ctx.ask({ title: name, show: { kind: "text", text: toJson(input) } });
      return { behavior: "allow", ...(updatedInput === undefined ? {} : { updatedInput }) };
    } catch (thrown) {
      if (!HaftError.is(thrown)) throw thrown;
      return { behavior: "deny", message: thrown.message };
    }
  };
}

const contextOf = (ctx: EffectContext | CallContext): ToolUseContext =>
  "signal" in ctx
    ? { cwd: ctx.cwd, abortController: { signal: ctx.signal }, agentId: ctx.agent.id, toolUseId: ctx.call.id }
    : { cwd: ctx.cwd, abortController: { signal: new AbortController().signal } };

const displayOf = (rendered: Rendered): Display =>
  typeof rendered === "string" ? { kind: "text", text: rendered } : rendered;

function contentOf({ content = "", is_error, tool_use_id }: ToolResultBlockParam): readonly Content[] {
  const blocks = typeof content === "string" ? [text(content)] : content;
  if (is_error) {
    const said = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    throw new HaftError({ code: "execution_failed", message: said || `The call ${tool_use_id} failed.` });
  }
  return blocks;
}
