import type { ConfirmationPayload } from "../../approval/index.ts";

/** The choices of a person. */
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
  /** Receives the person's choice. The first one counts. */
  onConfirm(outcome: ToolConfirmationOutcome, payload?: ConfirmationPayload): Promise<void>;
}

/** Asks whether a file may be changed, with the file before and after. */
export interface ToolEditConfirmationDetails extends OfAnyType {
  readonly type: "edit";
  readonly fileName: string;
  readonly filePath: string;
  readonly fileDiff: string;
  readonly originalContent: string | null;
  readonly newContent: string;
}

/** Asks whether a command may run. */
export interface ToolExecuteConfirmationDetails extends OfAnyType {
  readonly type: "exec";
  readonly command: string;
  readonly rootCommand: string;
}

/** Asks whether a tool of a server may be called. */
export interface ToolMcpConfirmationDetails extends OfAnyType {
  readonly type: "mcp";
  readonly serverName: string;
  readonly toolName: string;
  readonly toolDisplayName: string;
}

/** Asks about anything else, in words. */
export interface ToolInfoConfirmationDetails extends OfAnyType {
  readonly type: "info";
  readonly prompt: string;
  readonly urls?: readonly string[];
}

/** The content of a confirmation dialog; `type` gives its kind. */
export type ToolCallConfirmationDetails =
  | ToolEditConfirmationDetails
  | ToolExecuteConfirmationDetails
  | ToolMcpConfirmationDetails
  | ToolInfoConfirmationDetails;
