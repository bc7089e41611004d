import { defineTool, type FileEntry, read, text } from "@haft/core/tool";
import { namedPath } from "../support/named-path.ts";
import { fileProblem, handedOver } from "../support/people/hand-over.ts";
import { onlyTheMainAgent } from "../support/people/main-agent.ts";

const input = {
  type: "object",
  properties: {
    files: {
      type: "array",
      minItems: 1,
      maxItems: 20,
      items: { type: "string", format: "path", minLength: 1 },
      description: "The files, by their paths.",
    },
    caption: { type: "string", maxLength: 1000, description: "A sentence that describes them." },
  },
  required: ["files"],
  additionalProperties: false,
} as const;

/** The delivered files. */
interface SendUserFileOutput {
  readonly caption: string;
  readonly files: readonly FileEntry[];
}

/** SendUserFile: gives files to the person. */
export const sendUserFile = defineTool({
  name: "SendUserFile",
  title: "File for the user",
  rules: { groups: ["ui"] },
  searchHint: "send give file download user deliver report export",
  description:
    "Gives the user files that they asked for, such as a report or a picture, as links or downloads. At most 50 MB each.",
  input,
  offer: "deferred",
  can: ["read"],
  when: onlyTheMainAgent,
  effects: ({ files }, ctx) => files.map((path) => read(namedPath(ctx, path))),
  validate: ({ files }, ctx) => fileProblem(files, ctx),
  describe: ({ files = [] }) => ({
    title: files.length === 1 ? `File for the user: ${files[0]}` : "Files for the user",
    activity: "Handing over a file",
  }),
  async run({ files, caption = "" }, ctx): Promise<SendUserFileOutput> {
    return { caption, files: await handedOver(files, ctx) };
  },
  toModel: ({ files }) => [
    text(`The user has ${files.map(({ path, size }) => `${path} (${size} bytes)`).join(", ")}.`),
  ],
  toDisplay: ({ caption, files }) => ({ kind: "message", text: caption, files }),
});
