import type { Infer, SchemaLike } from "../../schema/index.ts";
import type { ToolAgentStep } from "./step.ts";

export type * from "./definition.ts";
export type * from "./settings.ts";
export type * from "./step.ts";

/** Live facts of a call. */
export type ToolMetadata = Readonly<Record<string, unknown>>;

/** Progress of a running call; keys merge. Facts may be at the top level or in `metadata`. */
export type ToolMetadataUpdate<M extends ToolMetadata = ToolMetadata> = Partial<M> & {
  readonly title?: string;
  readonly metadata?: Partial<M>;
};

/** The context of a call, besides its input. */
export interface ToolContext<M extends ToolMetadata = ToolMetadata> {
  readonly sessionId: string;
  readonly messageId: string;
  readonly toolCallId?: string;
  readonly workingDirectory?: string;
  readonly abortSignal?: AbortSignal;
  metadata(update: ToolMetadataUpdate<M>): void;
}

/** The result of a call: a title for people, the text for the model, and facts for programs. */
export interface ToolResult<M extends ToolMetadata = ToolMetadata> {
  readonly title: string;
  readonly output: string;
  readonly metadata: M;
}

/** The origin of a tool. */
export type ToolCategory = "builtin" | "custom" | "mcp";

/** Why an input is invalid, for `formatValidationError`. A Zod error has this form. */
export interface ValidationError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** The fields of a tool that are known after initialisation: `execute` and the rest. */
export interface ToolInitResult<P extends SchemaLike = SchemaLike, M extends ToolMetadata = ToolMetadata> {
  readonly description: string;
  readonly parameters: P;
  execute(args: Infer<P>, ctx: ToolContext<M>): Promise<ToolResult<M>>;
  formatValidationError?(error: ValidationError): string;
}

interface ToolMeta {
  readonly name: string;
  readonly category: ToolCategory;
  readonly enabled?: boolean;
  readonly autoExecute?: boolean;
}

/** A static tool as written, without its id. */
export type ToolDraft<P extends SchemaLike, M extends ToolMetadata> = ToolMeta & ToolInitResult<P, M>;

/** A tool whose description and parameters depend on the context: it is initialised at its first use. */
export interface ToolInfoAsync<P extends SchemaLike = SchemaLike, M extends ToolMetadata = ToolMetadata>
  extends ToolMeta {
  readonly id: string;
  init(ctx?: InitContext): Promise<ToolInitResult<P, M>>;
  _initialized?: ToolInitResult<P, M>;
}

/** A static tool. */
export interface ToolInfo<P extends SchemaLike = SchemaLike, M extends ToolMetadata = ToolMetadata>
  extends ToolMeta,
    ToolInitResult<P, M> {
  readonly id: string;
}

/** The fields of a tool that are known before its initialisation. */
export type ToolDraftAsync = ToolMeta;

/** A skill that an initialisation may name to the model. */
export interface SkillDefinition {
  readonly name: string;
  readonly description?: string;
}

/** The context of an initialisation. Plain data: when it changes, the tool is initialised again. */
export interface InitContext {
  readonly skills?: readonly SkillDefinition[];
}

/** The end of a call in this shape. */
export interface ToolExecutionResult {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
}

/** The context of an agent that a tool starts. */
export interface ToolAgentContext {
  readonly skills?: readonly SkillDefinition[];
  readonly workingDirectory?: string;
  readonly abortSignal?: AbortSignal;
}

/** The callbacks for the host of a tool agent, step by step. */
export interface ToolAgentEvents {
  onStepStart?(step: ToolAgentStep): void;
  onStepComplete?(step: ToolAgentStep): void;
  onStepSummary?(step: ToolAgentStep): void;
  onTextChunk?(text: string): void;
  onProgress?(message: string): void;
  onError?(error: string): void;
}
