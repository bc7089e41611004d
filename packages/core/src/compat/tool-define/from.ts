import { type Infer, lazySchema, type Schema, type SchemaLike, toSchema } from "../../schema/index.ts";
import { type CallContext, defineTool, type Tool as HaftTool, type ToolDefinition, text } from "../../tool/index.ts";
import { CLAIMABLE, claimedEffects } from "../claims.ts";
import { Tool } from "./define.ts";
import { whileRunning } from "./running.ts";
import type {
  InitContext,
  ToolContext,
  ToolInfo,
  ToolInfoAsync,
  ToolInitResult,
  ToolMetadata,
  ToolResult,
} from "./types.ts";

type More = Pick<Partial<ToolDefinition<SchemaLike, ToolResult>>, "effects" | "can">;

/**
 * Converts a tool of this shape to one of ours. A tool that may execute without asking claims that it only reads; any
 * other asks as `unknown`. `more` may declare the effects exactly. An asynchronous tool is initialised at its first
 * use, with the value of `context` at that time.
 */
export function fromToolDefine<P extends SchemaLike, M extends ToolMetadata>(
  tool: ToolInfo<P, M> | ToolInfoAsync<P, M>,
  more: More & { readonly context?: () => InitContext } = {},
): HaftTool<Infer<P>, ToolResult<M>> {
  const { context = () => ({}), ...declared } = more;
  const isLater = "init" in tool;
  const known = async (): Promise<ToolInitResult<P, M>> => (isLater ? Tool.initialize(tool, context()) : tool);
  const now = (): ToolInitResult<P, M> | undefined => (isLater ? tool._initialized : tool);
  const { id, name, enabled, autoExecute } = tool;
  return defineTool<Schema<Infer<P>>, ToolResult<M>>({
    name: id,
    title: name,
    description: isLater ? async () => (await known()).description : tool.description,
    input: isLater ? laterSchema(known, now, id) : toSchema<Infer<P>>(tool.parameters, `tool ${id}`),
    can: CLAIMABLE,
    effects: () => claimedEffects({ kind: autoExecute ? "search" : "other", text: name }),
    ...(declared as object),
    ...(enabled === undefined ? {} : { enabled }),
    ...(autoExecute === undefined ? {} : { autoExecute }),
    ...(isLater || tool.formatValidationError
      ? {
          explainInvalid: (issues) =>
            now()?.formatValidationError?.({ issues }) ??
            issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"),
        }
      : {}),
    run: async (args, ctx) => {
      const { execute } = await known();
      const result = await whileRunning(ctx, () => execute(args, contextOf<M>(ctx)));
      ctx.progress({ title: result.title, metadata: result.metadata });
      return result;
    },
    toModel: ({ output }) => [text(output)],
    toDisplay: ({ output }) => ({ kind: "text", text: output }),
  });
}

function contextOf<M extends ToolMetadata>({ session, call, cwd, signal, progress }: CallContext): ToolContext<M> {
  return {
    sessionId: session.id,
    messageId: session.messageId ?? call.batch,
    toolCallId: call.id,
    workingDirectory: cwd,
    abortSignal: signal,
    metadata({ title, metadata, ...facts }) {
      progress({ ...(title === undefined ? {} : { title }), metadata: { ...facts, ...metadata } });
    },
  };
}

/** The schema of a tool that is not known before its first use. Until then it accepts any object. */
function laterSchema<P extends SchemaLike>(
  known: () => Promise<ToolInitResult<P>>,
  now: () => ToolInitResult<P> | undefined,
  id: string,
): Schema<Infer<P>> {
  const open = lazySchema(() => ({ type: "object" }) as const, `tool ${id}`);
  const parameters = (): Schema => {
    const made = now()?.parameters;
    return made ? toSchema(made, `tool ${id}`) : open;
  };
  return {
    get json() {
      return parameters().json;
    },
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: async (value) => {
        const schema = toSchema<Infer<P>>((await known()).parameters, `tool ${id}`);
        return schema["~standard"].validate(value);
      },
      jsonSchema: {
        input: (target) => parameters()["~standard"].jsonSchema.input(target),
        output: (target) => parameters()["~standard"].jsonSchema.output(target),
      },
    },
  };
}

/** Whether a tool still has to be initialised. */
export const isAsync = (tool: ToolInfo | ToolInfoAsync): tool is ToolInfoAsync => "init" in tool;
