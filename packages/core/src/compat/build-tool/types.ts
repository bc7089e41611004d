import type { PermissionUpdate } from "../../approval/index.ts";
import type { Infer, JsonSchema, SchemaLike } from "../../schema/index.ts";
import type { Content, Display, Progress as HaftProgress } from "../../tool/index.ts";

/** Progress of a running call. */
export type Progress = HaftProgress;

/** The result of a call; the tool itself converts it for the model. */
export interface ToolResult<Output = unknown> {
  readonly data: Output;
}

/** Whether the tool accepts an input, with the reason if not. Anything but `true` and `result: true` stops the call. */
export type ValidationResult =
  | boolean
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode?: number };

/**
 * A tool's own answer about a permission. It can only tighten: an `allow` leaves the decision to the rules. An
 * `updatedInput` replaces the input, and the call is decided again. The person sees `suggestions` if they allow rules
 * for this tool.
 */
export type PermissionResult =
  | { readonly behavior: "allow" | "passthrough"; readonly updatedInput?: unknown }
  | {
      readonly behavior: "ask";
      readonly message: string;
      readonly updatedInput?: unknown;
      readonly suggestions?: readonly PermissionUpdate[];
    }
  | { readonly behavior: "deny"; readonly message: string };

/** The context of a call, besides its input. */
export interface ToolUseContext {
  readonly cwd: string;
  readonly abortController: Pick<AbortController, "signal">;
  readonly agentId?: string;
  readonly toolUseId?: string;
}

/** Asks for permission for a further action in the middle of a call. */
export type CanUseTool = (tool: { readonly name: string }, input: unknown) => Promise<PermissionResult>;

/** A view model: a text, or anything that every face can draw. Core knows no components. */
export type Rendered = string | Display;

/** A result in a message to the model. */
export interface ToolResultBlockParam {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly ({ readonly type: "text"; readonly text: string } | Content)[];
  readonly is_error?: boolean;
}

/** A tool of this shape as written. Omitted fields get the careful default. */
export interface ToolDef<Input extends SchemaLike = SchemaLike, Output = unknown, P = Progress> {
  readonly name: string;
  readonly inputSchema: Input;
  /** The input as plain JSON Schema, if a remote protocol gave it so. It then replaces `inputSchema`. */
  readonly inputJSONSchema?: JsonSchema;
  /** The MCP server of the tool. Rules for `mcp__server` then cover it too. */
  readonly mcpInfo?: { readonly serverName: string; readonly toolName: string };
  readonly outputSchema?: SchemaLike;
  /** For the model it is called without an input. If the text needs one, `prompt`, `searchHint` or the name is used. */
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
  /** Whether a call is a search or a read, so that faces may fold several into one line. */
  isSearchOrReadCommand?(input: Infer<Input>): { readonly isSearch: boolean; readonly isRead: boolean };
  /** Returns a function that tells whether a rule's specifier covers a call with this input, for the `if` of hooks. */
  preparePermissionMatcher?(input: Infer<Input>): (specifier: string) => boolean;
  getPath?(input: Infer<Input>): string | undefined;
  getActivityDescription?(input: Partial<Infer<Input>>): string | undefined;
}

/** A tool with all fields that the rest of the system uses. */
export type Tool<Input extends SchemaLike = SchemaLike, Output = unknown, P = Progress> = ToolDef<Input, Output, P> &
  Required<
    Pick<
      ToolDef<Input, Output, P>,
      "isEnabled" | "isReadOnly" | "isDestructive" | "isConcurrencySafe" | "interruptBehavior" | "maxResultSizeChars"
    >
  >;

/** A list of tools with inputs and outputs of every kind. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools of every kind has no other type
export type Tools = readonly Tool<any, any, any>[];
