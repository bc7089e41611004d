/** @module Haft's tools for the tool runners of Anthropic's SDK. Does not import the SDK. */
import { type AnthropicResultContent, anthropicResult, hostCalls } from "@haft/core/adapter";
import { toParameters } from "@haft/core/schema";
import { flatRoot } from "@haft/core/schema/dialect";
import { errorText } from "@haft/core/tool";
import type { Haft } from "../app/haft.ts";

type Content = Exclude<AnthropicResultContent, { type: "tool_reference" }>;

/** The SDK's context of the call that it runs. */
interface AnthropicRunContext {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/** A tool of `client.beta.messages.toolRunner` and of an `EnvironmentWorker`. */
export interface AnthropicRunnableTool {
  type: "custom";
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  parse(content: unknown): unknown;
  run(input: unknown, context?: AnthropicRunContext): Promise<Content[]>;
}

/** Options for the tools. */
export interface AnthropicRunnerOptions {
  /** The SDK's `ToolError`, so that a failure keeps its pictures. Without it a failure is text. */
  readonly ToolError?: new (
    content: Content[],
  ) => Error;
}

/**
 * Haft's tools for a runner: `client.beta.messages.toolRunner({ ...anthropicRunner(haft), model, messages })`. The SDK has
 * no approvals of its own, so give `createHaft` an asker.
 */
export function anthropicRunner(
  haft: Pick<Haft, "toolbox">,
  { ToolError }: AnthropicRunnerOptions = {},
): { tools: AnthropicRunnableTool[] } {
  const calls = hostCalls(haft.toolbox);
  const tools = calls.tools().map(
    ({ name: tool, wireName: name, description, input: schema }): AnthropicRunnableTool => ({
      ...{ type: "custom", name, description },
      input_schema: { ...flatRoot(toParameters(schema.json)), type: "object" },
      parse: (content) => content,
      async run(input, context) {
        const id = context?.toolUse.id ?? crypto.randomUUID();
        const result = await calls.run({ id, tool, input, signal: context?.signal ?? undefined });
        const content = anthropicResult(id, result).content as Content[];
        if (!result.error) return content;
        throw ToolError ? new ToolError(content) : new Error(errorText(result.error));
      },
    }),
  );
  return { tools };
}
