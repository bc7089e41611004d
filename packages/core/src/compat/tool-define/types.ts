import type { Infer, SchemaLike } from "../../schema/index.ts";
import type { Step } from "./step.ts";

export type { Step, StepType } from "./step.ts";

/** Live facts of a call. */
export type ToolMetadata = Readonly<Record<string, unknown>>;

/** News of a running call; keys merge. Facts may stand at the top or below `metadata`. */
export type ToolMetadataUpdate<M extends ToolMetadata = ToolMetadata> = Partial<M> & {
  readonly title?: string;
  readonly metadata?: Partial<M>;
};

/** What a call is given besides its input. */
export interface ToolContext<M extends ToolMetadata = ToolMetadata> {
  readonly sessionId: string;
  readonly messageId: string;
  readonly toolCallId?: string;
  readonly workingDirectory?: string;
  readonly abortSignal?: AbortSignal;
  metadata(update: ToolMetadataUpdate<M>): void;
}

/** What a call gives: a title for people, the text for the model, and facts for programs. */
export interface ToolResult<M extends ToolMetadata = ToolMetadata> {
  readonly title: string;
  readonly output: string;
  readonly metadata: M;
}

/** Where a tool comes from. */
export type ToolCategory = "builtin" | "custom" | "mcp";

/** Why an input does not fit, for `formatValidationError`. A Zod error has this form. */
export interface ValidationError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** What `execute` and the rest of a tool are, once it is known. */
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

/** A static tool without its id, as it is written. */
export type ToolDraft<P extends SchemaLike, M extends ToolMetadata> = ToolMeta & ToolInitResult<P, M>;

/** A tool whose description and parameters depend on what there is: it is initialised at its first use. */
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

/** What is known of a tool before it is initialised. */
export type ToolDraftAsync = ToolMeta;

/** A skill that an initialisation may name to the model. */
export interface SkillDefinition {
  readonly name: string;
  readonly description?: string;
}

/** What an initialisation may depend on. Plain data: when it changes, the tool is initialised again. */
export interface InitContext {
  readonly skills?: readonly SkillDefinition[];
}

/** A tool of either kind, as a registry takes it. */
export type RegisteredTool = ToolInfo | ToolInfoAsync;

/** The end of a call in this shape. */
export interface ToolExecutionResult {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
}

/** What an agent that is started by a tool is told. */
export interface ToolAgentContext {
  readonly skills?: readonly SkillDefinition[];
  readonly workingDirectory?: string;
  readonly abortSignal?: AbortSignal;
}

/** What the host of a tool agent hears, step by step. */
export interface ToolAgentEvents {
  onStepStart?(step: Step): void;
  onStepComplete?(step: Step): void;
  onStepSummary?(step: Step): void;
  onTextChunk?(text: string): void;
  onProgress?(message: string): void;
  onError?(error: string): void;
}
