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
  type Receipt,
} from "@haft/core/approval";
export type {
  DelegationRequest,
  ToolAgentEvents,
  ToolAgentResult,
  ToolAgentStep,
} from "@haft/core/compat/tool-define";
export type {
  BatchOptions,
  CallEvent,
  CallEventType,
  CallOutcome,
  CallRequest,
  Concurrency,
  Explanation,
  OpenBatch,
} from "@haft/core/executor";
export type { Hook } from "@haft/core/hook";
export type { Decision, Mode, WrittenSettings } from "@haft/core/policy";
export {
  type AgentRef,
  type CallContext,
  type Caller,
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
export type { JournalHints, Undone } from "@haft/journal";
export type {
  AgentEnd,
  AgentEvent,
  AssistantPart,
  FinishReason,
  Message,
  Model,
  ModelEvent,
  ModelRequest,
  Usage,
} from "./agent/index.ts";
export { executeToolAgent, type ToolAgentContext } from "./app/agents/execute-tool-agent.ts";
export { createHaft } from "./app/create-haft.ts";
export type { FormatOptions, Formats } from "./app/formats.ts";
export type { AgentScope, CallOptions, Haft, HaftOptions, OfferChoice, RuleTexts } from "./app/haft.ts";
export type { Notice, NoticeCode, NoticeListener } from "./app/notice.ts";
export type { ContentChange, McpContent, ServedModule, Visit } from "./server/mcp/content.ts";
export { openSession as createAgent } from "./session/open-session.ts";
export { runSchedules, type SchedulesRun } from "./session/schedule/run-schedules.ts";
export type {
  AgentSession,
  AgentSessionOptions,
  CommandOutcome,
  Compaction,
  PromptOptions,
  QueuedPrompt,
  SessionEvent,
  SessionModel,
  SessionUsage,
  SlashCommand,
} from "./session/session.ts";
