import { defineTool, type FileEntry, read, text } from "@haft/core/tool";
import { namedPath } from "../support/named-path.ts";
import { fileProblem, handedOver } from "../support/people/hand-over.ts";
import { onlyTheMainAgent } from "../support/people/main-agent.ts";

const input = {
  type: "object",
  properties: {
    message: {
      type: "string",
      minLength: 1,
      maxLength: 4000,
      description: "The message for the user, in a few sentences of Markdown.",
    },
    attachments: {
      type: "array",
      maxItems: 10,
      items: { type: "string", format: "path", minLength: 1 },
      description: "Files to attach.",
    },
  },
  required: ["message"],
  additionalProperties: false,
} as const;

/** The delivered message. */
interface BriefOutput {
  readonly message: string;
  readonly files: readonly FileEntry[];
}

/** Brief: sends the person a short message, shown apart from everything else. */
export const brief = defineTool({
  name: "Brief",
  title: "Message to the user",
  rules: { groups: ["ui"] },
  searchHint: "message tell user notify short summary milestone",
  description:
    "Shows the user a short message while you keep working, such as a milestone. Not for questions or for your answer.",
  input,
  offer: "deferred",
  can: ["read"],
  when: onlyTheMainAgent,
  effects: ({ attachments = [] }, ctx) => attachments.map((path) => read(namedPath(ctx, path))),
  validate: ({ attachments = [] }, ctx) => fileProblem(attachments, ctx),
  describe: () => ({ title: "Message to the user", activity: "Telling the user" }),
  async run({ message, attachments = [] }, ctx): Promise<BriefOutput> {
    return { message, files: await handedOver(attachments, ctx) };
  },
  toModel: () => [text("The user sees it.")],
  toDisplay: ({ message, files }) => ({ kind: "message", text: message, files }),
});
