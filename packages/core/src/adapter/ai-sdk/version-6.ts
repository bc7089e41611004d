import type { Toolbox } from "../toolbox.ts";
import { type AiSdkAdapter, type AiSdkOptions, aiSdk } from "./ai-sdk.ts";
import { answerIn } from "./approval-record.ts";
import type { AiSdkContent, AiSdkExecuteOptions, AiSdkModelOutput, AiSdkTool } from "./wire.ts";

/** The part of an output that the model reads, for version 6. */
export type AiSdk6ModelOutput =
  | Exclude<AiSdkModelOutput, { type: "content" }>
  | { type: "content"; value: AiSdk6Content[] };

/** A part of an output that the model reads, for version 6. */
export type AiSdk6Content =
  | { type: "text"; text: string }
  | { type: "image-data"; data: string; mediaType: string }
  | { type: "file-data"; data: string; mediaType: string; filename?: string };

/** An entry of the `tools` of version 6, which asks each tool whether a call needs an approval. */
export interface AiSdk6Tool extends Omit<AiSdkTool, "toModelOutput"> {
  needsApproval(input: unknown, options: Pick<AiSdkExecuteOptions, "toolCallId" | "messages">): Promise<boolean>;
  toModelOutput(options: { toolCallId: string; input: unknown; output: unknown }): AiSdk6ModelOutput;
}

/** Spread it into `streamText`, `generateText` or an agent of version 6. */
export interface AiSdk6Adapter extends Pick<AiSdkAdapter, "stopWhen"> {
  readonly tools: Record<string, AiSdk6Tool>;
}

/** Haft's tools for version 6 of the AI SDK: those of version 7, in its older forms. */
export function aiSdk6(toolbox: Toolbox, options: AiSdkOptions = {}): AiSdk6Adapter {
  const adapter = aiSdk(toolbox, options);

  async function needsApproval(toolName: string, input: unknown, { toolCallId, messages }: Asked): Promise<boolean> {
    const { type } = await adapter.toolApproval({ toolCall: { toolCallId, toolName, input }, messages });
    // Version 6 denies an approved call whose tool needs no approval any more. The rules may allow it by now.
    const isAnswered = options.hostAsks === true && answerIn(messages, toolCallId) === "approved";
    return isAnswered ? type !== "denied" : type === "user-approval";
  }

  return {
    get tools() {
      const tools = Object.entries(adapter.tools).map(([name, tool]): [string, AiSdk6Tool] => [
        name,
        {
          ...tool,
          needsApproval: (input, asked) => needsApproval(name, input, asked),
          toModelOutput: (result) => modelOutput(tool.toModelOutput(result)),
        },
      ]);
      return Object.fromEntries(tools);
    },
    stopWhen: adapter.stopWhen,
  };
}

type Asked = Parameters<AiSdk6Tool["needsApproval"]>[1];

const modelOutput = (output: AiSdkModelOutput): AiSdk6ModelOutput =>
  output.type === "content" ? { type: "content", value: output.value.map(contentOf) } : output;

function contentOf(content: AiSdkContent): AiSdk6Content {
  if (content.type === "text") return content;
  const { data, ...file } = content;
  if (file.mediaType.startsWith("image/")) return { type: "image-data", data: data.data, mediaType: file.mediaType };
  return { ...file, type: "file-data", data: data.data };
}
