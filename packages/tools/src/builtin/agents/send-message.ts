import { defineTool, state, text } from "@haft/core/tool";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    to: {
      type: "string",
      minLength: 1,
      description: 'The name or id of a running agent, "main", or "*" for your whole team.',
    },
    message: { type: "string", minLength: 1, maxLength: 20_000, description: "The information or task for it." },
  },
  required: ["to", "message"],
  additionalProperties: false,
} as const;

/** SendMessage: sends a message to another agent, which reads it between two turns. */
export const sendMessage = defineTool({
  name: "SendMessage",
  aliases: ["send_message", "send_input"],
  title: "Message an agent",
  searchHint: "send message agent teammate lead tell team",
  description:
    "Says something to an agent that works, or to the main one. It reads that between two turns. A message is never the user's consent.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needs("agents", "there are no other agents here"),
  effects: () => [state("messages")],
  describe: ({ to }) => ({ title: to ? `Message to ${to}` : "Message an agent", activity: "Sending a message" }),
  async run({ to, message }, { ports }): Promise<{ readonly to: readonly string[] }> {
    return { to: await portOf(ports, "agents").send(to, message) };
  },
  toModel: ({ to }) => [text(`${to.join(", ")} will read it between turns.`)],
});
