// The same turns of a model in the formats of its APIs: a list of calls, or words that end the work.
import { call, messageOf, say } from "./anthropic-wire.ts";
import type { WireAnswer } from "./wire-server.ts";

export interface ReplayCall {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}
export type Turn = string | readonly ReplayCall[];

export const anthropicTurn = (turn: Turn): WireAnswer => ({
  json: messageOf(typeof turn === "string" ? [say(turn)] : turn.map(({ id, name, input }) => call(id, name, input))),
});

export function responsesTurn(turn: Turn): WireAnswer {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const words = (text: string) => ({
    ...{ type: "message", id: "m1", role: "assistant", status: "completed" },
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const calls = (list: readonly ReplayCall[]) =>
    list.map(({ id, name, input }) => ({
      ...{ type: "function_call", id: `f_${id}`, call_id: id, name, status: "completed" },
      arguments: JSON.stringify(input),
    }));
  const output = typeof turn === "string" ? [words(turn)] : calls(turn);
  return { json: { id: "resp_1", object: "response", status: "completed", output, usage } };
}

export function geminiTurn(turn: Turn): WireAnswer {
  const parts =
    typeof turn === "string"
      ? [{ text: turn }]
      : turn.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
  return { json: { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] } };
}

export function chatTurn(turn: Turn): WireAnswer {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...{ id: "c1", object: "chat.completion.chunk", created: 1, model: "m" },
    choices: [{ index: 0, delta, finish_reason }],
  });
  if (typeof turn === "string")
    return { events: [chunk({ role: "assistant", content: turn }), chunk({}, "stop")], style: "openai" };
  const tool_calls = turn.map(({ id, name, input }, index) => ({
    ...{ index, id, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { events: [chunk({ role: "assistant", tool_calls }), chunk({}, "tool_calls")], style: "openai" };
}
