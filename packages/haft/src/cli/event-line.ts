import type { CallEvent } from "@haft/core/executor";
import type { AgentEvent } from "../agent/index.ts";
import { failureText } from "./exit-code.ts";

/** An event of a call as one JSON line of `haft run --json`. */
export function callEventLine({ call, agent, ...event }: CallEvent): object {
  const of = { type: event.type, toolCallId: call.id, tool: call.tool, agentId: agent.id, turn: call.turn };
  switch (event.type) {
    case "tool:call:received":
      return { ...of, title: event.title, input: event.input };
    case "tool:call:decided": {
      const { decision, reason, rule } = event.decision;
      return { ...of, title: event.title, decision, reason, rule, effects: event.effects };
    }
    case "tool:permission:request":
      return { ...of, title: event.request.title, request: event.request };
    case "tool:permission:response":
      return { ...of, requestId: event.requestId, answer: event.answer, by: event.by, kept: event.kept };
    case "tool:execution:start":
      return { ...of, title: event.title, activity: event.activity };
    case "tool:execution:progress":
      return { ...of, progress: event.progress };
    default: {
      const { status, result, approval, durationMs } = event.outcome;
      const { title, summary, content } = event;
      return { ...of, title, summary, content, status, error: result.error, approval, durationMs };
    }
  }
}

/** An event of the agent as one JSON line; `undefined` for events that the calls' own events cover better. */
export function agentEventLine(event: AgentEvent): object | undefined {
  switch (event.type) {
    case "request":
      return { type: "request", turn: event.turn, tools: event.offer.tools.map(({ name }) => name) };
    case "model": {
      const { event: inner } = event;
      if (inner.type !== "part" || inner.part.type === "tool-call") return undefined;
      return { type: inner.part.type, turn: event.turn, text: inner.part.text };
    }
    case "retry":
      return { type: "retry", turn: event.turn, error: failureText(event.error) };
    case "shortened":
      return { type: "shortened", turn: event.turn, results: event.results, chars: event.chars };
    default:
      return undefined;
  }
}
