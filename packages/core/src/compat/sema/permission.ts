import type { CallOutcome } from "../../executor/index.ts";
import { contentsText, errorText, toJson } from "../../tool/index.ts";
import { type Authority, authorise } from "../authorise.ts";

/** Asks before a tool that is not read-only runs, in a host that runs tools itself. */
export interface PermissionManager {
  hasPermissionsToUseTool(
    tool: { readonly name: string; isReadOnly(): boolean },
    input: unknown,
    abortController: Pick<AbortController, "signal">,
    assistantMessage: { readonly id?: string; readonly toolUseId?: string } | undefined,
    agentId: string,
  ): Promise<{ readonly result: true } | { readonly result: false; readonly message: string }>;
}

/** A permission manager over Haft's policy and its askers. It does not ask about a call that was already stopped. */
export function createPermissionManager(authority: Authority): PermissionManager {
  let asked = 0;
  return {
    async hasPermissionsToUseTool(tool, input, { signal }, assistantMessage, agentId) {
      const id = assistantMessage?.toolUseId ?? `${agentId}-${++asked}`;
      const answer = await authorise(authority, { id, tool: tool.name, input, agent: { id: agentId } }, signal);
      if (!answer.allowed) return { result: false, message: errorText(answer.error) };
      if (answer.input === input) return { result: true };
      // This shape cannot pass on another input, and the original one was not allowed.
      const message = `The user allowed ${tool.name} only with another input: ${toJson(answer.input)}`;
      return { result: false, message };
    },
  };
}

/** The result of a call as the block for the model. */
export const toToolResult = ({ call, result }: Pick<CallOutcome, "call" | "result">) => ({
  type: "tool_result" as const,
  tool_use_id: call.id,
  content: contentsText(result.content),
  ...(result.error ? { is_error: true } : {}),
});
