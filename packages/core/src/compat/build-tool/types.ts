import type { Infer, SchemaLike } from "../../schema/index.ts";
import type { Content, Display, Progress as HaftProgress } from "../../tool/index.ts";

/** News of a running call. */
export type Progress = HaftProgress;

/** What a call gives; the tool maps it for the model by itself. */
export interface ToolResult<Output = unknown> {
  readonly data: Output;
}

/** Whether an input makes sense to the tool, and if not why. */
export type ValidationResult =
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode?: number };

/** A tool's own word about a permission. It can only tighten: an `allow` leaves the decision to the rules. */
export type PermissionResult =
  | { readonly behavior: "allow" | "passthrough"; readonly updatedInput?: unknown }
  | { readonly behavior: "ask" | "deny"; readonly message: string };

/** What a call is given besides its input. */
export interface ToolUseContext {
  readonly cwd: string;
  readonly abortController: Pick<AbortController, "signal">;
  readonly agentId?: string;
  readonly toolUseId?: string;
}

/** Asks whether something further may be done, in the middle of a call. */
export type CanUseTool = (tool: { readonly name: string }, input: unknown) => Promise<PermissionResult>;

/** A view model: a text, or anything that every face can draw. Core knows no components. */
export type Rendered = string | Display;

/** A result as a message to the model carries it. */
export interface ToolResultBlockParam {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly ({ readonly type: "text"; readonly text: string } | Content)[];
  readonly is_error?: boolean;
}

/** A tool of this shape as it is written. What is left out gets the careful answer. */
export interface ToolDef<Input extends SchemaLike = SchemaLike, Output = unknown, P = Progress> {
  readonly name: string;
  readonly inputSchema: Input;
  readonly outputSchema?: SchemaLike;
  description(input: Infer<Input>): Promise<string>;
  prompt?(): string | Promise<string>;
  call(
    args: Infer<Input>,
    context: ToolUseContext,
    canUseTool: CanUseTool,
    parentMessage: { readonly id?: string } | undefined,
    onProgress?: (progress: P) => void,
  ): Promise<ToolResult<Output>>;
  readonly aliases?: readonly string[];
  readonly searchHint?: string;
  readonly shouldDefer?: boolean;
  readonly alwaysLoad?: boolean;
  isEnabled?(): boolean;
  validateInput?(input: Infer<Input>, context: ToolUseContext): Promise<ValidationResult>;
  checkPermissions?(input: Infer<Input>, context: ToolUseContext): Promise<PermissionResult>;
  isReadOnly?(input: Infer<Input>): boolean;
  isDestructive?(input: Infer<Input>): boolean;
  isConcurrencySafe?(input: Infer<Input>): boolean;
  interruptBehavior?(): "cancel" | "block";
  readonly maxResultSizeChars?: number;
  mapToolResultToToolResultBlockParam?(output: Output, toolUseId: string): ToolResultBlockParam;
  /** The input may still be streaming, so every field may be missing. */
  renderToolUseMessage?(input: Partial<Infer<Input>>): Rendered;
  renderToolResultMessage?(output: Output): Rendered;
  backfillObservableInput?(input: Infer<Input>): Readonly<Record<string, unknown>>;
  getPath?(input: Infer<Input>): string | undefined;
  getActivityDescription?(input: Partial<Infer<Input>>): string | undefined;
}

/** A tool with every answer that the rest of the system asks for. */
export type Tool<Input extends SchemaLike = SchemaLike, Output = unknown, P = Progress> = ToolDef<Input, Output, P> &
  Required<
    Pick<
      ToolDef<Input, Output, P>,
      "isEnabled" | "isReadOnly" | "isDestructive" | "isConcurrencySafe" | "interruptBehavior" | "maxResultSizeChars"
    >
  >;
