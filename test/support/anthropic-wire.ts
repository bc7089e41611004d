/** Messages of Anthropic's API for tests: the same content as one answer or as the events of a stream. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly json?: string;
    };

export const call = (id: string, name: string, input: unknown, json?: string): Block => ({
  type: "tool_use",
  id,
  name,
  input,
  ...(json === undefined ? {} : { json }),
});

export const say = (text: string): Block => ({ type: "text", text });

const envelope = {
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude-test",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
};

const reasonFor = (blocks: readonly Block[]): string =>
  blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";

/** A message that came in one piece. */
export const messageOf = (blocks: readonly Block[], stop_reason = reasonFor(blocks)) => ({
  ...envelope,
  content: blocks.map((block) => {
    if (block.type !== "tool_use") return block;
    const { json: _, ...rest } = block;
    return rest;
  }),
  stop_reason,
});

/** The events that start a message. */
export const startOf = (): object[] => [
  { type: "message_start", message: { ...envelope, content: [], stop_reason: null } },
];

/** The events of one block; arguments come in pieces of a few characters. */
export function blockEvents(block: Block, index: number): object[] {
  const stop = { type: "content_block_stop", index };
  const delta = (content: object) => ({ type: "content_block_delta", index, delta: content });
  switch (block.type) {
    case "text":
      return [
        { type: "content_block_start", index, content_block: { type: "text", text: "", citations: null } },
        ...pieces(block.text).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
        ...pieces(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "tool_use": {
      const { id, name, input, json = JSON.stringify(input) } = block;
      const content_block = { type: "tool_use", id, name, input: {}, caller: { type: "direct" } };
      return [
        { type: "content_block_start", index, content_block },
        delta({ type: "input_json_delta", partial_json: "" }),
        ...pieces(json).map((partial_json) => delta({ type: "input_json_delta", partial_json })),
        stop,
      ];
    }
  }
}

/** The events that end a message. */
export const endOf = (stop_reason: string): object[] => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } },
  { type: "message_stop" },
];

/** A whole streamed message. */
export const streamOf = (blocks: readonly Block[], stop_reason = reasonFor(blocks)): object[] => [
  ...startOf(),
  ...blocks.flatMap((block, index) => blockEvents(block, index)),
  ...endOf(stop_reason),
];

const pieces = (text: string): string[] => text.match(/[\s\S]{1,7}/g) ?? [];

export async function* stream(events: readonly object[]): AsyncGenerator<{ readonly type: string }> {
  for (const event of events) {
    await Promise.resolve();
    yield event as { readonly type: string };
  }
}
