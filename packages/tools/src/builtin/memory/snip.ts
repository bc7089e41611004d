import { defineTool, type Snipped, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const quote = (description: string) => ({ type: "string", minLength: 1, maxLength: 2000, description }) as const;

const input = {
  type: "object",
  properties: {
    from: quote("Words of the first message to go, long enough that no other message holds them."),
    to: quote("Words of the last message to go. The same as from for one message."),
    note: quote("What stays in their place: what was found and decided there."),
  },
  required: ["from", "to", "note"],
  additionalProperties: false,
} as const;

/** Snip: removes old messages from the model's view and leaves a note. */
export const snip = defineTool({
  name: "Snip",
  title: "Cut old messages",
  searchHint: "snip cut drop old messages context history shorten forget",
  description: [
    "Takes a span of old messages out of what you see, to make room, and leaves your note in its place. The whole stays in the record.",
    "For results and detours that are no longer needed. The user's last request stays; calls go together with their results.",
  ].join("\n"),
  input,
  offer: "deferred",
  can: ["state"],
  when: needs("conversation", "the conversation is kept by the host's own program"),
  effects: () => [state("conversation")],
  describe: () => ({ title: "Cut old messages", activity: "Cutting old messages" }),
  async run(span, { ports }): Promise<Snipped> {
    return portOf(ports, "conversation").snip(span);
  },
  toModel: ({ messages, chars, file }) => [
    text(
      `${messages} messages with ${chars} characters are gone from what you see.${file ? ` They are in ${file}.` : ""}`,
    ),
  ],
});
