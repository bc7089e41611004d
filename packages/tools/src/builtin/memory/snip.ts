import { defineTool, type Snipped, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const quote = (description: string) => ({ type: "string", minLength: 1, maxLength: 2000, description }) as const;

const input = {
  type: "object",
  properties: {
    from: quote("A quote from the first message to remove, long enough to be unique."),
    to: quote("A quote from the last message to remove. For one message, the same as from."),
    note: quote("A note to replace them: what was found and decided there."),
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
  when: needs("conversation", "not supported: another program manages this conversation"),
  effects: () => [state("conversation")],
  describe: () => ({ title: "Cut old messages", activity: "Cutting old messages" }),
  async run(span, { ports }): Promise<Snipped> {
    return portOf(ports, "conversation").snip(span);
  },
  toModel: ({ messages, chars, file }) => [
    text(
      `${messages} messages with ${chars} characters were removed from your context.${file ? ` They are in ${file}.` : ""}`,
    ),
  ],
});
