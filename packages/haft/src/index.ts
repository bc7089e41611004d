/** @module Haft as a library: tools, permissions and safety for any model SDK. */

export {
  type Answer,
  type ApprovalRequest,
  type Asker,
  type CanUseTool,
  type Confirmation,
  type ConfirmationDetails,
  canUseToolAsker,
  confirmationOf,
} from "@haft/core/approval";
export type { CallEvent, CallOutcome, CallRequest } from "@haft/core/executor";
export type { Hook } from "@haft/core/hook";
export type { Decision, Mode } from "@haft/core/policy";
export { type Caller, defineTool, effects, HaftError, type Result, type Tool } from "@haft/core/tool";
export { createHaft } from "./app/create-haft.ts";
export type { Haft, HaftOptions, Narrowing } from "./app/haft.ts";
export type { ContentChange, McpContent, ServedModule, Visit } from "./server/mcp/content.ts";
