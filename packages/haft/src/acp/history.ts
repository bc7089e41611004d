import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Message } from "../agent/index.ts";
import type { RecordedCall } from "../session/index.ts";
import { callsByMessage } from "../view/index.ts";
import { contentOf, kindOf, locationsOf } from "./tool-call.ts";

/** An earlier conversation as updates, for an editor that opens a session again. */
export function historyUpdates(messages: readonly Message[], calls: readonly RecordedCall[]): SessionUpdate[] {
  const recorded = new Map([...callsByMessage(messages, calls).values()].flat().map((call) => [call.id, call]));
  const answered = new Map(
    messages.flatMap((message) =>
      message.role === "results" ? message.results.map((result) => [result.callId, result] as const) : [],
    ),
  );
  return messages.flatMap((message): SessionUpdate[] => {
    if (message.role === "user")
      return message.content.flatMap((content): SessionUpdate[] =>
        content.type === "text"
          ? [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: content.text } }]
          : [],
      );
    if (message.role !== "assistant") return [];
    return message.parts.map((part): SessionUpdate => {
      if (part.type === "text") return { sessionUpdate: "agent_message_chunk", content: part };
      if (part.type === "reasoning")
        return { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: part.text } };
      const result = answered.get(part.id);
      const { effects, result: { title, display } = {} } = recorded.get(part.id) ?? {};
      const text = (result?.content ?? []).flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n");
      return {
        ...{
          sessionUpdate: "tool_call",
          toolCallId: part.id,
          name: part.tool,
          title: title ?? part.tool,
          rawInput: part.input,
        },
        ...(effects ? { kind: kindOf(effects), locations: locationsOf(effects, display) } : {}),
        status: result?.status === "ok" ? "completed" : "failed",
        content: display
          ? contentOf(display)
          : text === ""
            ? []
            : [{ type: "content", content: { type: "text", text } }],
      };
    });
  });
}
