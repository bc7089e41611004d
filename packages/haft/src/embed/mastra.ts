/** @module Haft's tools for Mastra. Takes its `createTool`, so that it imports nothing. */
import { aiSdkModelOutput, hostCalls } from "@haft/core/adapter";
import type { Result } from "@haft/core/tool";
import type { Haft } from "../app/haft.ts";
import { openSchema } from "./parameters.ts";

interface Context {
  readonly agent?: { readonly toolCallId?: string };
  readonly abortSignal?: AbortSignal;
}

/** The constructor of Mastra that the tools are made with, and who asks. */
interface MastraParts<T> {
  /** `createTool` of `@mastra/core/tools`. */
  readonly createTool: (options: never) => T;
  /**
   * Calls that must be asked about suspend the run until `approveToolCall`. One such tool makes Mastra run all calls one
   * after the other, unless the agent has `toolCallConcurrency: { strategy: "called" }`. Default: if Haft has no asker.
   */
  readonly approvals?: boolean;
}

/** Haft's tools for an agent: `new Agent({ ..., ...mastra(haft, { createTool }) })`. */
export function mastra<T>(haft: Pick<Haft, "toolbox">, { createTool, approvals }: MastraParts<T>) {
  const calls = hostCalls(haft.toolbox);
  const asksHost = approvals ?? haft.toolbox.host?.asks ?? false;
  // Mastra asks about an input, without the id of the call.
  const asked = new Map<string, string>();
  const keyOf = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

  const tools = calls.tools().map(({ name: tool, wireName, title, description, input: schema }) => {
    const options = {
      id: wireName,
      description,
      ...(title === undefined ? {} : { title }),
      inputSchema: openSchema(schema),
      ...(asksHost ? { requireApproval: (input: unknown) => requires(tool, input) } : {}),
      async execute(input: unknown, context: Context = {}) {
        const key = keyOf(tool, input);
        const question = asked.get(key);
        asked.delete(key);
        const id = question ?? context.agent?.toolCallId ?? crypto.randomUUID();
        return calls.run({ id, tool, input, signal: context.abortSignal, isApproved: question !== undefined });
      },
      toModelOutput: (result: Result) => modelOutput(result),
    };
    return [wireName, createTool(options as never)] as const;
  });

  async function requires(tool: string, input: unknown): Promise<boolean> {
    const id = `approval-${crypto.randomUUID()}`;
    if ((await calls.asks({ id, tool, input })) === undefined) return false;
    asked.set(keyOf(tool, input), id);
    return true;
  }

  return { tools: Object.fromEntries(tools) as Record<string, T> };
}

/** Mastra knows text and content, and no refusals. */
function modelOutput(result: Result) {
  const output = aiSdkModelOutput(result);
  if (output.type === "execution-denied") return { type: "error-text" as const, value: output.reason };
  return output;
}
