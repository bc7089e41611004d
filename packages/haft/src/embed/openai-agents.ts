/** @module Haft's tools for OpenAI's Agents SDK (`@openai/agents`). Does not import the SDK. */
import { hostCalls, isFile, resultParts } from "@haft/core/adapter";
import { toOpenAiParameters, withoutNulls } from "@haft/core/schema/dialect";
import type { Result } from "@haft/core/tool";
import type { Haft } from "../app/haft.ts";

/** A part of a result. */
type AgentsOutput =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } }
  | { type: "file"; file: { data: string; mediaType: string; filename: string } };

/** The SDK's context of a run: only the approvals of people matter here. */
interface AgentsRunContext {
  isToolApproved(approval: { toolName: string; callId: string }): boolean | undefined;
}

/** An entry of an agent's `tools`. */
export interface AgentsTool {
  type: "function";
  name: string;
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a JSON Schema is written with it
  parameters: any;
  strict: boolean;
  needsApproval(context: AgentsRunContext, input: unknown, callId?: string): Promise<boolean>;
  isEnabled(): Promise<boolean>;
  invoke(
    context: AgentsRunContext,
    input: string,
    details?: { readonly toolCall?: { readonly callId?: string }; readonly signal?: AbortSignal },
  ): Promise<string | AgentsOutput[]>;
}

/**
 * Haft's tools for an agent: `new Agent({ name, ...openaiAgents(haft) })`. Without an asker of Haft's own, a call that
 * must be asked about interrupts the run (`result.interruptions`); `state.approve(item)` lets it run.
 */
export function openaiAgents(
  haft: Pick<Haft, "toolbox">,
  { strict = true }: { readonly strict?: boolean } = {},
): { tools: AgentsTool[] } {
  const calls = hostCalls(haft.toolbox);
  const tools = calls.tools().map(({ name: tool, wireName: name, description, input: schema }): AgentsTool => {
    const given = (input: unknown): unknown => withoutNulls(schema.json, input);
    return {
      ...{ type: "function", name, description, ...toOpenAiParameters(schema.json, strict) },
      isEnabled: async () => true,
      needsApproval: async (_context, input, callId) =>
        (await calls.asks({ id: callId ?? "", tool, input: given(input) })) !== undefined,
      async invoke(context, json, details = {}) {
        const id = details.toolCall?.callId ?? crypto.randomUUID();
        const isApproved = context.isToolApproved({ toolName: name, callId: id }) === true;
        const { signal } = details;
        return outputOf(await calls.run({ id, tool, input: given(parsed(json)), signal, isApproved }));
      },
    };
  });
  return { tools };
}

/** Broken JSON stays text, and the pipeline says what is wrong with it. */
function parsed(json: string): unknown {
  try {
    return json.trim() === "" ? {} : JSON.parse(json);
  } catch {
    return json;
  }
}

function outputOf(result: Result): string | AgentsOutput[] {
  const parts = resultParts(result);
  const [first] = parts;
  if (parts.length === 1 && first?.type === "text") return first.text;
  return parts.map((part): AgentsOutput => {
    if (!isFile(part)) return part;
    const { data, mediaType, name = "document.pdf" } = part;
    return part.type === "image"
      ? { type: "image", image: { data, mediaType } }
      : { type: "file", file: { data, mediaType, filename: name } };
  });
}
