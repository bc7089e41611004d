/** @module Haft as a library: tools, permissions and safety for any model SDK. */

export {
  type Answer,
  type ApprovalRequest,
  type Asker,
  type CanUseTool,
  canUseToolAsker,
  confirmationOf,
} from "@haft/core/approval";
export type { CallEvent, CallOutcome, CallRequest, Explanation, OpenBatch } from "@haft/core/executor";
export type { Hook } from "@haft/core/hook";
export type { Decision, Mode, WrittenSettings } from "@haft/core/policy";
export {
  type AgentRef,
  type CallContext,
  type Content,
  type Display,
  defineTool,
  type Effect,
  type EffectContext,
  type ErrorCode,
  effects,
  HaftError,
  type Progress,
  type Result,
  type Tool,
  type ToolError,
  type ToolLike,
} from "@haft/core/tool";
export type { Undone } from "@haft/journal";
export type { AgentEnd, AssistantPart, Message, Model, ModelEvent, ModelRequest, Usage } from "./agent/index.ts";
export { executeToolAgent } from "./app/agents/execute-tool-agent.ts";
export { createHaft } from "./app/create-haft.ts";
export type { Formats } from "./app/formats.ts";
export type { AgentScope, CallOptions, Haft, HaftOptions, RuleTexts } from "./app/haft.ts";
export type { Notice } from "./app/notice.ts";
export type { ServedModule } from "./server/mcp/content.ts";
export { openSession as createAgent } from "./session/open-session.ts";
export { runSchedules } from "./session/schedule/run-schedules.ts";
export type { AgentSession, AgentSessionOptions, SessionEvent } from "./session/session.ts";
