import type { Infer, SchemaLike } from "../../schema/index.ts";

/** The result of a call: content for the model, details for the host. */
export interface AgentToolResult<T = unknown> {
  readonly content: readonly (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  )[];
  readonly details?: T;
}

/** Receives a partial result. */
export type AgentToolUpdateCallback<T = unknown> = (partial: AgentToolResult<T>) => void;

/** Every plain object could be a JSON Schema. As a type parameter only those with a mark of their own count as one. */
type ParameterSchema = SchemaLike & ({ "~standard": unknown } | { "~kind": unknown } | { type: "object" });

/** A tool of this shape. `TParams` is the input of `execute`, or the schema that gives its type. */
export interface AgentTool<TParams = unknown, TResult = unknown> {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  readonly parameters: SchemaLike;
  execute(
    toolCallId: string,
    params: TParams extends ParameterSchema ? Infer<TParams> : TParams,
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

/** A tool in the form that a model loop takes. */
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

/** A tool that the client runs: a browser page or a phone. */
export interface ClientToolDefinition {
  readonly type?: "function";
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: SchemaLike };
}
