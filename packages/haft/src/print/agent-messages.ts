import type { CallEvent } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import { isCallEvent, type SessionEvent } from "../session/index.ts";
import { emptyView, foldEvent, parentCallOf, type SessionView } from "../view/index.ts";

type Message = Readonly<Record<string, unknown>>;

/**
 * The messages about calls of started agents, each under the call that started its agent. `undefined`: the event is not
 * about one of them.
 */
export function createAgentMessages(): (event: SessionEvent) => readonly Message[] | undefined {
  let view: SessionView = emptyView;
  return (event) => {
    if (!isCallEvent(event)) return undefined;
    // Only calls matter here, and of a finished message only those that agents go on under.
    view = foldEvent(view, event);
    if (event.agent.parent === undefined) return undefined;
    const parent = parentCallOf(view, event.call.id) ?? event.agent.call ?? null;
    const message = messageOf(event);
    return message ? [{ ...message, parent_tool_use_id: parent }] : undefined;
  };
}

function messageOf(event: CallEvent): Message | undefined {
  const { call, agent } = event;
  if (event.type === "tool:call:received") {
    const content = [{ type: "tool_use", id: call.id, name: call.tool, input: event.input ?? {} }];
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = {
      id: `msg_${call.id}`,
      type: "message",
      role: "assistant",
      model: agent.model ?? "",
      content,
      usage,
    };
    return { type: "assistant", message: { ...message, stop_reason: null, stop_sequence: null } };
  }
  if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return undefined;
  const { result, status } = event.outcome;
  const content = [{ type: "text", text: result.error?.message ?? contentsText(result.content) }];
  const answer = { type: "tool_result", tool_use_id: call.id, content, ...(status === "ok" ? {} : { is_error: true }) };
  return { type: "user", message: { role: "user", content: [answer] } };
}
