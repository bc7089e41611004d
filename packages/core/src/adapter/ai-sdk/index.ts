/** @module The AI SDK: tools and approvals to spread into `streamText`. Does not import the SDK. */
export * from "./ai-sdk.ts";
export type { ApprovalRecord } from "./approval-record.ts";
export { aiSdkModelOutput } from "./model-output.ts";
export {
  type AiSdk6Adapter,
  type AiSdk6Content,
  type AiSdk6ModelOutput,
  type AiSdk6Tool,
  aiSdk6,
} from "./version-6.ts";
export type * from "./wire.ts";
