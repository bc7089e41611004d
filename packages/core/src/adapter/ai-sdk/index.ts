/** @module The AI SDK: tools and approvals to spread into `streamText`, without importing it. */
export * from "./ai-sdk.ts";
export type { ApprovalRecord } from "./approval-record.ts";
export { aiSdkModelOutput } from "./model-output.ts";
export type * from "./wire.ts";
