import type { Infer, SchemaLike } from "../../schema/index.ts";

/** What a call gives: content for the model, details for the host. */
export interface AgentToolResult<T = unknown> {
  readonly content: readonly (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  )[];
  readonly details?: T;
}

/** Hears of a result that is not complete yet. */
export type AgentToolUpdateCallback<T = unknown> = (partial: AgentToolResult<T>) => void;

/** A tool of this shape. `TParams` is what `execute` gets, or the schema from which that follows. */
export interface AgentTool<TParams = unknown, TResult = unknown> {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly parameters: SchemaLike;
  execute(
    toolCallId: string,
    params: TParams extends SchemaLike ? Infer<TParams> : TParams,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TResult>,
  ): Promise<AgentToolResult<TResult>>;
}

/** A tool with any parameters, as lists hold it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools with parameters of every kind has no other type
export type AnyAgentTool = AgentTool<any, any>;

/** Tools and groups by name; a deny beats an allow. */
export interface ToolPolicy {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** A tool as a model loop takes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: SchemaLike;
  execute(
    toolCallId: string,
    params: unknown,
    onUpdate?: AgentToolUpdateCallback,
    ctx?: unknown,
    signal?: AbortSignal,
  ): Promise<AgentToolResult & { readonly isError?: true }>;
}
