import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { CallEvent } from "@haft/core/executor";
import type { Content, Display, Todo } from "@haft/core/tool";
import { isCallEvent, type SessionEvent } from "../session/index.ts";
import { contentOf, kindOf, locationsOf } from "./tool-call.ts";

/** Most characters of live output that an update repeats. */
const LIVE_CHARS = 8_000;

/** Turns the events of a session into updates for the editor. Keeps the live output of running calls. */
export function createUpdates(): (event: SessionEvent) => readonly SessionUpdate[] {
  const live = new Map<string, string>();
  return (event) => {
    if (isCallEvent(event)) return callUpdates(event, live);
    switch (event.type) {
      case "model":
        if (event.event.type !== "delta") return [];
        return [
          {
            sessionUpdate: event.event.of === "text" ? "agent_message_chunk" : "agent_thought_chunk",
            content: { type: "text", text: event.event.text },
          },
        ];
      case "notice": {
        const { message, cure } = event.notice;
        return [said(`${message}${cure === undefined ? "" : ` ${cure}`}`)];
      }
      case "mode":
        return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }];
      case "shortened":
        return [said("The conversation was too long for the model, so the oldest results were dropped.")];
      case "compacted":
        return [said(`The conversation was shortened: a summary stands for ${event.messages} messages.`)];
      default:
        return [];
    }
  };
}

/** A remark of Haft, apart from the model's words. */
export const said = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_thought_chunk",
  content: { type: "text", text: `${text}\n` },
});

function callUpdates(event: CallEvent, live: Map<string, string>): readonly SessionUpdate[] {
  const { id: toolCallId, tool: name } = event.call;
  switch (event.type) {
    case "tool:call:received": {
      const { title, input: rawInput } = event;
      return [{ sessionUpdate: "tool_call", toolCallId, name, title, rawInput, kind: "other", status: "pending" }];
    }
    case "tool:call:decided": {
      const { title, effects } = event;
      const about = { title, kind: kindOf(effects), locations: locationsOf(effects) };
      return [{ sessionUpdate: "tool_call_update", toolCallId, ...about }];
    }
    case "tool:execution:start":
      return [{ sessionUpdate: "tool_call_update", toolCallId, title: event.title, status: "in_progress" }];
    case "tool:execution:progress":
      return progressUpdates(toolCallId, event.progress, live);
    case "tool:execution:complete":
    case "tool:execution:error": {
      live.delete(toolCallId);
      const { outcome, content, title } = event;
      const isDone = event.type === "tool:execution:complete" && !outcome.result.error;
      const shown = contentOf(content);
      const failed = isDone ? [] : contentOf({ kind: "text", text: resultText(outcome.result.content) });
      const update: SessionUpdate = {
        ...{ sessionUpdate: "tool_call_update", toolCallId, title, status: isDone ? "completed" : "failed" },
        content: shown.length > 0 ? shown : failed,
        locations: locationsOf(outcome.effects, content),
        rawOutput: { status: outcome.status, ...(outcome.result.error ? { error: outcome.result.error } : {}) },
      };
      return [update, ...planOf(content)];
    }
    default:
      return [];
  }
}

function progressUpdates(
  toolCallId: string,
  { output, display, title }: Extract<CallEvent, { type: "tool:execution:progress" }>["progress"],
  live: Map<string, string>,
): readonly SessionUpdate[] {
  const shown = output === undefined ? undefined : `${live.get(toolCallId) ?? ""}${output}`.slice(-LIVE_CHARS);
  if (shown !== undefined) live.set(toolCallId, shown);
  const content = display ?? (shown === undefined ? undefined : ({ kind: "terminal", text: shown } as const));
  if (content === undefined && title === undefined) return [];
  return [
    {
      ...{ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" },
      ...(title === undefined ? {} : { title }),
      ...(content === undefined ? {} : { content: contentOf(content) }),
    },
  ];
}

/** A list of tasks is the plan of the agent. */
function planOf(show: Display): readonly SessionUpdate[] {
  if (show.kind === "group") return show.items.flatMap(planOf);
  return show.kind === "todos" ? [{ sessionUpdate: "plan", entries: show.todos.map(entryOf) }] : [];
}

const entryOf = ({ content, status }: Todo) => ({ content, status, priority: "medium" as const });

const resultText = (content: readonly Content[]): string =>
  content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n");
