/**
 * The part of the AI SDK (version 7) that concerns tools, as structures, so that no import of it is needed. Its own
 * types fit them; a test holds it.
 */
import type { CallStatus } from "../../executor/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { Result } from "../../tool/index.ts";

/** What `execute` returns: the result with its status, for the host's UI. */
export interface AiSdkOutput extends Result {
  readonly status: CallStatus;
}

/** What the SDK says beside the input when it calls a tool. */
export interface AiSdkExecuteOptions {
  readonly toolCallId: string;
  readonly messages: readonly AiSdkMessage[];
  readonly abortSignal?: AbortSignal;
}

/** A message of the conversation, as far as Haft looks at it. */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: unknown;
}

/** What the model reads of an output. */
export type AiSdkModelOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | { type: "execution-denied"; reason: string }
  | { type: "content"; value: AiSdkContent[] };

/** A part of an output that the model reads. */
export type AiSdkContent =
  | { type: "text"; text: string }
  | { type: "file"; mediaType: string; data: { type: "data"; data: string }; filename?: string };

/** An entry of the `tools` of `streamText`: one that brings its own JSON Schema. */
export interface AiSdkTool {
  type: "dynamic";
  description: string;
  title?: string;
  inputSchema: Schema;
  execute(input: unknown, options: AiSdkExecuteOptions): Promise<AiSdkOutput>;
  toModelOutput(options: { toolCallId: string; input: unknown; output: unknown }): AiSdkModelOutput;
}

/** Whether the SDK's own approval parts are to ask, and why. */
export type AiSdkApprovalStatus =
  | { type: "not-applicable" }
  | { type: "denied"; reason: string }
  | { type: "user-approval"; reason: string };

/** The call about which the SDK wants to know that. */
export interface AiSdkApprovalOptions {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly messages: readonly AiSdkMessage[];
}
