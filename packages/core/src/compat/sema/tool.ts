import type { Infer, SchemaLike } from "../../schema/index.ts";
import {
  type CallContext,
  type Content,
  type Display,
  defineTool,
  type EffectContext,
  fail,
  type Tool as HaftTool,
  type Progress,
  type ToolDefinition,
  text,
  toJson,
} from "../../tool/index.ts";
import { CLAIMABLE, claimedEffects, type Trust } from "../claims.ts";

/** The context of a call in this shape: its caller. */
export interface AgentContext {
  readonly agentId: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly abortController: Pick<AbortController, "signal">;
}

/** `result: false` stops the call, and the message gives the reason. */
export interface ValidationResult {
  readonly result: boolean;
  readonly message?: string;
}

/** Title, summary and content, as this shape shows questions and results. */
export interface Message {
  readonly title: string;
  readonly summary?: string;
  readonly content: string | Readonly<Record<string, unknown>>;
}

/** The last value that `call` yields. `resultForAssistant` replaces `genResultForAssistant` for this call. */
export interface CallResult<TOutput> {
  readonly type: "result";
  readonly data: TOutput;
  readonly resultForAssistant?: string;
}

/** A tool of this shape. */
export interface Tool<TInput extends SchemaLike = SchemaLike, TOutput = unknown> {
  readonly name: string;
  readonly description?: string | (() => string);
  readonly inputSchema: TInput;
  isReadOnly(): boolean;
  validateInput?(input: Infer<TInput>, agentContext: AgentContext): Promise<ValidationResult>;
  genResultForAssistant(output: TOutput): string;
  genToolPermission?(input: Infer<TInput>): Message;
  genToolResultMessage?(output: TOutput, input?: Infer<TInput>): Message & { readonly summary: string };
  getDisplayTitle?(input?: Infer<TInput>): string;
  call(
    input: Infer<TInput>,
    agentContext: AgentContext,
  ): AsyncGenerator<CallResult<TOutput> | (Progress & { readonly type?: "progress" }), void>;
}

/** The output of our result: the yielded value of the tool. */
export type Output<TOutput> = Omit<CallResult<TOutput>, "type">;

/**
 * Converts a tool of this shape to one of ours. It does not declare effects: a read-only tool may read the workspace,
 * any other asks as `unknown`; `more` may declare them exactly. A claim asks even if it only reads; with `trust: true` a
 * read-only tool does not.
 *
 * @throws HaftError `validation_failed` when it cannot convert a result to text for the model.
 */
export function fromSema<TInput extends SchemaLike, TOutput>(
  tool: Tool<TInput, TOutput>,
  { trust, ...more }: Pick<Partial<ToolDefinition<TInput, Output<TOutput>>>, "effects" | "can"> & Trust = {},
): HaftTool<Infer<TInput>, Output<TOutput>> {
  if (typeof tool.genResultForAssistant !== "function")
    fail(
      "validation_failed",
      `${tool.name} has no genResultForAssistant.`,
      "It must return the output as text for the model.",
    );
  const { name, description = "", inputSchema } = tool;
  const isReadOnly = tool.isReadOnly();
  return defineTool<TInput, Output<TOutput>>({
    name,
    description,
    input: inputSchema,
    can: CLAIMABLE,
    effects: () => claimedEffects({ kind: isReadOnly ? "search" : "other", text: name }),
    override: { isReadOnly, because: "the tool's own isReadOnly() says so" },
    ...(trust && isReadOnly ? { autoExecute: true } : {}),
    ...more,
    ...(tool.validateInput
      ? {
          async validate(input: Infer<TInput>, ctx: EffectContext) {
            const { result, message } = await tool.validateInput!(input, contextOf(ctx));
            return result ? undefined : { message: message ?? `${name} does not accept this input.` };
          },
        }
      : {}),
    async *run(input, ctx) {
      const steps = tool.call(input, contextOf(ctx));
      try {
        for await (const step of steps) {
          if (step.type !== "result") yield step;
          else return ended(tool, step, input, ctx);
        }
      } finally {
        await steps.return();
      }
      return fail("execution_failed", `${name} ended without a result.`);
    },
    toModel: ({ data, resultForAssistant }): readonly Content[] => [
      text(resultForAssistant ?? tool.genResultForAssistant(data)),
    ],
    describe(input) {
      const title = tool.getDisplayTitle?.(input as Infer<TInput>);
      const summary = tool.genToolPermission?.(input as Infer<TInput>).summary;
      return { ...(title === undefined ? {} : { title }), ...(summary === undefined ? {} : { summary }) };
    },
    ...(tool.genToolPermission ? { preview: (input: Infer<TInput>) => shown(tool.genToolPermission!(input)) } : {}),
    ...(tool.genToolResultMessage
      ? {
          toDisplay: ({ data }: Output<TOutput>, input: Infer<TInput>) =>
            shown(tool.genToolResultMessage!(data, input)),
        }
      : {}),
  });
}

function ended<TInput extends SchemaLike, TOutput>(
  tool: Tool<TInput, TOutput>,
  { data, resultForAssistant }: CallResult<TOutput>,
  input: Infer<TInput>,
  ctx: CallContext,
): Output<TOutput> {
  const title = tool.genToolResultMessage?.(data, input).title;
  if (title !== undefined) ctx.progress({ title });
  return { data, ...(resultForAssistant === undefined ? {} : { resultForAssistant }) };
}

const shown = ({ title, summary, content }: Message): Display => ({
  kind: "group",
  title: summary === undefined ? title : `${title}: ${summary}`,
  items: [{ kind: "text", text: typeof content === "string" ? content : toJson(content) }],
});

const contextOf = (ctx: EffectContext | CallContext): AgentContext => {
  const isRunning = "signal" in ctx;
  return {
    agentId: isRunning ? ctx.agent.id : "main",
    sessionId: isRunning ? ctx.session.id : "",
    cwd: ctx.cwd,
    abortController: { signal: isRunning ? ctx.signal : new AbortController().signal },
  };
};
