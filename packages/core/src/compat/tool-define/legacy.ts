import { createRedactor } from "../../policy/index.ts";
import type { JsonSchema, SchemaLike } from "../../schema/index.ts";
import { type CallContext, defineTool, fail, type Tool as HaftTool, text, toJson, unknown } from "../../tool/index.ts";
import type { ToolParameter } from "./definition.ts";
import type { ProviderConfig, ToolSettings } from "./settings.ts";
import type { Step } from "./step.ts";
import type { SkillDefinition, ToolExecutionResult, ToolMetadataUpdate } from "./types.ts";

/** The context of a call by name: its message, and what the app lends the tool. */
export interface ToolExecutionContext {
  readonly sessionId: string;
  readonly messageId: string;
  readonly toolCallId?: string;
  /** The folder of the host; another one is refused. */
  readonly workingDirectory?: string;
  readonly providerId?: string;
  /** For legacy handlers. Its secrets are taken out of results, errors and progress. */
  readonly providerConfig?: ProviderConfig;
  /** Tightens this call: a tool that is off here is refused. */
  readonly toolSettings?: ToolSettings;
  readonly abortSignal?: AbortSignal;
  /** The skills that tools may name to the model from now on. */
  readonly skills?: readonly SkillDefinition[];
  readonly onStepStart?: (step: Step) => void;
  readonly onStepComplete?: (step: Step) => void;
  readonly onMetadata?: (update: ToolMetadataUpdate) => void;
}

/** A tool of the oldest form: a function that gets the input and the context. */
export interface RegisteredTool {
  readonly id?: string;
  readonly name: string;
  readonly description: string;
  readonly parameters?: SchemaLike | readonly ToolParameter[];
  handler(
    args: Readonly<Record<string, unknown>>,
    context: ToolExecutionContext,
  ): Promise<ToolExecutionResult> | ToolExecutionResult;
}

/**
 * Converts a legacy tool to one of ours. It does not declare its effects, so it asks as `unknown`.
 *
 * @param lent the part of a call's context that only its caller knows.
 */
export function fromLegacy(
  tool: RegisteredTool,
  lent: (callId: string) => Partial<ToolExecutionContext> | undefined = () => undefined,
): HaftTool {
  const { id = tool.name, name, description, parameters = [] } = tool;
  return defineTool<SchemaLike, unknown>({
    name: id,
    title: name,
    description,
    input: isList(parameters) ? schemaOf(parameters) : parameters,
    can: ["unknown"],
    effects: () => [unknown(`${name} does not declare its effects`)],
    async run(args, ctx) {
      const context = contextOf(ctx, lent(ctx.call.id));
      const clean = cleanerOf(context.providerConfig);
      try {
        const ended = await tool.handler(args as Readonly<Record<string, unknown>>, context);
        if (!ended.success) return fail("execution_failed", String(clean(ended.error ?? `${name} failed.`)));
        return clean(ended.data);
      } catch (thrown) {
        if (ctx.signal.aborted || !(thrown instanceof Error)) throw thrown;
        thrown.message = String(clean(thrown.message));
        throw thrown;
      }
    },
    toModel: (data) => [text(outputOf(data))],
  }) as HaftTool;
}

const isList = (parameters: SchemaLike | readonly ToolParameter[]): parameters is readonly ToolParameter[] =>
  Array.isArray(parameters);

const outputOf = (data: unknown): string => {
  const output = typeof data === "object" && data !== null && "output" in data ? data.output : data;
  return typeof output === "string" ? output : toJson(output);
};

function contextOf(ctx: CallContext, lent: Partial<ToolExecutionContext> = {}): ToolExecutionContext {
  const clean = cleanerOf(lent.providerConfig);
  return {
    ...lent,
    sessionId: lent.sessionId ?? ctx.session.id,
    messageId: ctx.session.messageId ?? ctx.call.batch,
    toolCallId: ctx.call.id,
    workingDirectory: ctx.cwd,
    abortSignal: ctx.signal,
    onMetadata({ title, metadata, ...facts }) {
      const all = clean({ ...facts, ...metadata }) as Readonly<Record<string, unknown>>;
      ctx.progress({ ...(title === undefined ? {} : { title: String(clean(title)) }), metadata: all });
    },
  };
}

/** The schema for a list of parameters. */
const schemaOf = (parameters: readonly ToolParameter[]): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(
    parameters.map(({ name, type, description, enum: values }) => [
      name,
      { type, description, ...(values ? { enum: values } : {}) },
    ]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

const SECRET_KEY = /key|token|secret|passw|credential|authorization|cookie|header/i;

/** Every text below a key with a private name. */
function secretsIn(value: unknown, isSecret = false, depth = 0): readonly string[] {
  if (typeof value === "string") return isSecret && value.length >= 6 ? [value] : [];
  if (typeof value !== "object" || value === null || depth > 8) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, isSecret || SECRET_KEY.test(key), depth + 1));
}

/** A function that takes the secrets of a provider out of any value. */
export function cleanerOf(config: ProviderConfig | undefined): (value: unknown) => unknown {
  const secrets = [...new Set(secretsIn(config))].toSorted((a, b) => b.length - a.length);
  if (secrets.length === 0) return (value) => value;
  const redact = createRedactor();
  const cleanText = (value: string): string =>
    redact(secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted key]"), value));
  const clean = (value: unknown, seen: ReadonlySet<unknown>): unknown => {
    if (typeof value === "string") return cleanText(value);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return "[circular]";
    const inner = new Set(seen).add(value);
    if (Array.isArray(value)) return value.map((one) => clean(one, inner));
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [cleanText(key), clean(one, inner)]));
  };
  return (value) => clean(value, new Set());
}
