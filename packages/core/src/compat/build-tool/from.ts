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
  type ToolDefinition,
  text,
  toJson,
} from "../../tool/index.ts";
import { CLAIMABLE, claimedEffects } from "../claims.ts";
import type { CanUseTool, Progress, Rendered, Tool, ToolResultBlockParam, ToolUseContext } from "./types.ts";

/**
 * A tool of this shape as one of ours. Its effects follow from its answers about this input: a read-only call reads its
 * path or the workspace, a call with a path writes that, anything else asks as `unknown`; `more` may say it exactly.
 */
export function fromBuildTool<Input extends SchemaLike, Output, P extends Progress = Progress>(
  tool: Tool<Input, Output, P>,
  more: Pick<Partial<ToolDefinition<Input, Output>>, "effects" | "can"> = {},
): HaftTool<Infer<Input>, Output> {
  const { name, prompt } = tool;
  return defineTool<Input, Output>({
    name,
    description: () => descriptionOf(tool),
    input: tool.inputSchema,
    can: CLAIMABLE,
    effects: (input) => effectsOf(tool, input),
    ...more,
    ...(tool.outputSchema ? { output: tool.outputSchema } : {}),
    ...(tool.aliases ? { aliases: tool.aliases } : {}),
    ...(tool.searchHint === undefined ? {} : { searchHint: tool.searchHint }),
    ...(tool.alwaysLoad ? { offer: "always" as const } : tool.shouldDefer ? { offer: "deferred" as const } : {}),
    ...(prompt ? { prompt: () => prompt.call(tool) } : {}),
    when: () => tool.isEnabled() || { absent: `${name} says that it is not enabled here` },
    limits: { resultChars: tool.maxResultSizeChars },
    onInterrupt: tool.interruptBehavior(),
    async validate(input, ctx) {
      const checked = await tool.validateInput?.(input, contextOf(ctx));
      return checked?.result === false ? { message: checked.message } : undefined;
    },
    async object(input, ctx) {
      const said = await tool.checkPermissions?.(input, contextOf(ctx));
      return said && "message" in said ? { behavior: said.behavior, reason: said.message } : undefined;
    },
    async run(input, ctx) {
      const { data } = await tool.call(input, contextOf(ctx), canUseToolIn(ctx), undefined, ctx.progress);
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
    ...(tool.renderToolUseMessage
      ? { preview: (input: Infer<Input>) => displayOf(tool.renderToolUseMessage!(input as Partial<Infer<Input>>)) }
      : {}),
    ...(tool.renderToolResultMessage
      ? { toDisplay: (output: Output) => displayOf(tool.renderToolResultMessage!(output)) }
      : {}),
    ...(tool.backfillObservableInput ? { observe: (input: Infer<Input>) => tool.backfillObservableInput!(input) } : {}),
    ...(tool.mapToolResultToToolResultBlockParam
      ? { toModel: (output: Output) => contentOf(tool.mapToolResultToToolResultBlockParam!(output, "")) }
      : {}),
  });
}

/** The text for the model must not depend on an input. A description that needs one falls back to the name. */
async function descriptionOf<Input extends SchemaLike, Output, P>(tool: Tool<Input, Output, P>): Promise<string> {
  try {
    return await tool.description({} as Infer<Input>);
  } catch {
    return tool.name;
  }
}

/** An answer that throws is the careful one. */
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
