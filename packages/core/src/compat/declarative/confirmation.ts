import type { ConfirmationPayload } from "../../approval/index.ts";

/** What a person may choose. */
export const ToolConfirmationOutcome = {
  ProceedOnce: "proceed_once",
  ProceedAlways: "proceed_always",
  ProceedAlwaysServer: "proceed_always_server",
  ProceedAlwaysTool: "proceed_always_tool",
  ModifyWithEditor: "modify_with_editor",
  Cancel: "cancel",
} as const;

export type ToolConfirmationOutcome = (typeof ToolConfirmationOutcome)[keyof typeof ToolConfirmationOutcome];

interface OfAnyType {
  readonly title: string;
  /** Hears the person's choice. The first one counts. */
  onConfirm(outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): Promise<void>;
}

export interface ToolEditConfirmationDetails extends OfAnyType {
  readonly type: "edit";
  readonly fileName: string;
  readonly filePath: string;
  readonly fileDiff: string;
  readonly originalContent: string | null;
  readonly newContent: string;
}

export interface ToolExecuteConfirmationDetails extends OfAnyType {
  readonly type: "exec";
  readonly command: string;
  readonly rootCommand: string;
}

export interface ToolMcpConfirmationDetails extends OfAnyType {
  readonly type: "mcp";
  readonly serverName: string;
  readonly toolName: string;
  readonly toolDisplayName: string;
}

export interface ToolInfoConfirmationDetails extends OfAnyType {
  readonly type: "info";
  readonly prompt: string;
  readonly urls?: readonly string[];
}

export type ToolCallConfirmationDetails =
  | ToolEditConfirmationDetails
  | ToolExecuteConfirmationDetails
  | ToolMcpConfirmationDetails
  | ToolInfoConfirmationDetails;
