import type { CallEvent } from "@haft/core/executor";
import type { McpInfo } from "@haft/mcp";
import type { AgentSession } from "../../session/index.ts";
import { mcpResult } from "../mcp/call-result.ts";
import type { ShownCall } from "./canvas-state.ts";

/** The id of a call that a page makes begins with this. */
export const PAGE_CALL = "ui-";

/** The place where the pages of calls are shown. */
export interface CallPages {
  openFor(call: ShownCall, server: string, uri: string): Promise<void>;
  endCall(id: string, end: Pick<ShownCall, "result" | "cancelled">): void;
}

/**
 * Opens the page of a tool that names one (`_meta.ui.resourceUri` of MCP Apps) when a call of it starts. The page belongs to
 * the server of a call that was allowed; a rule that denies reading the resource keeps it closed.
 */
export function showAppCalls(agent: AgentSession, pages: CallPages): () => void {
  const inputs = new Map<string, unknown>();
  /** Calls whose page is about to open, with their end: a quick call has ended by then. */
  const opening = new Map<string, Pick<ShownCall, "result" | "cancelled">>();
  const { haft } = agent;

  function end(id: string, how: Pick<ShownCall, "result" | "cancelled">): void {
    if (opening.has(id)) opening.set(id, how);
    pages.endCall(id, how);
  }

  async function open(id: string, name: string, input: unknown): Promise<void> {
    const { tool } = haft.registry.get(name) ?? {};
    const { page, serverName: server, toolName } = (tool as { readonly mcpInfo?: McpInfo } | undefined)?.mcpInfo ?? {};
    if (!tool || page?.uri === undefined || server === undefined || toolName === undefined) return;
    const { uri } = page;
    const { decision } = await haft.explain("ReadMcpResource", { server, uri });
    if (!decision || decision.decision === "deny") return;
    const shown = { name: toolName, inputSchema: tool.input.json, ...(tool.title ? { title: tool.title } : {}) };
    await pages.openFor({ id, tool: shown, input: Object(input) as object, ...opening.get(id) }, server, uri);
  }

  const hear = (event: CallEvent): void => {
    const { id, tool } = event.call;
    switch (event.type) {
      case "tool:call:received":
        if (!id.startsWith(PAGE_CALL)) inputs.set(id, event.input);
        return;
      case "tool:permission:response":
        if (event.answer.behavior === "allow" && event.answer.input !== undefined) inputs.set(id, event.answer.input);
        return;
      case "tool:execution:start":
        if (!inputs.has(id)) return;
        opening.set(id, {});
        void open(id, tool, inputs.get(id))
          .catch(() => {})
          .finally(() => opening.delete(id));
        return;
      case "tool:execution:complete":
      case "tool:execution:error": {
        inputs.delete(id);
        const { outcome } = event;
        if (outcome.status === "cancelled") end(id, { cancelled: outcome.result.error?.message ?? "" });
        else end(id, { result: mcpResult({ result: outcome.result }, haft.registry.get(tool), undefined) });
        return;
      }
      default:
    }
  };
  return haft.on(hear);
}
