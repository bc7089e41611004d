/**
 * The types of the AI SDK (version 7) that concern tools, as structures, so that no import is needed. A test checks
 * that the SDK's own types fit them.
 */
import type { CallStatus } from "../../executor/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { Result } from "../../tool/index.ts";

/** The value that `execute` returns: the result with its status, for the host's UI. */
export interface AiSdkOutput extends Result {
  readonly status: CallStatus;
}

/** The SDK's second argument when it calls a tool, besides the input. */
export interface AiSdkExecuteOptions {
  readonly toolCallId: string;
  readonly messages: readonly AiSdkMessage[];
  readonly abortSignal?: AbortSignal;
}

/** A message of the conversation, with the fields that Haft reads. */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The part of an output that the model reads. */
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

/** Whether the SDK's own approval parts should ask, and why. */
export type AiSdkApprovalStatus =
  | { type: "not-applicable" }
  | { type: "denied"; reason: string }
  | { type: "user-approval"; reason: string };

/** The call for which the SDK requests the approval status. */
export interface AiSdkApprovalOptions {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly messages: readonly AiSdkMessage[];
}
