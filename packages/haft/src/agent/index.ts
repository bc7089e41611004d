/** @module A model loop over an offer, with models, conversations and recordings. */

export { type AiSdkModelOptions, aiSdkModel } from "./ai-sdk-model.ts";
export * from "./cassette/cassette.ts";
export * from "./cassette/record.ts";
export * from "./cassette/replay.ts";
export * from "./cassette/session.ts";
export { createMailbox, type Mailbox } from "./context/mailbox.ts";
export {
  type Conversation,
  contextByCall,
  conversationFile,
  conversationIn,
  forkOrigin,
  hasConversation,
  openConversation,
  openingIn,
} from "./conversation.ts";
export * from "./loop.ts";
export * from "./message.ts";
export type * from "./model.ts";
export { EFFORTS, withEffort } from "./model.ts";
export { DEFAULT_MODELS, type DefaultModel, defaultModel, MODEL_CURE } from "./provider/default-model.ts";
export type { Environment } from "./provider/environment.ts";
export { hostedModels, reachableModels } from "./provider/hosted-models.ts";
export { findLocalServers, type LocalServer, localModels, type ReachableModel } from "./provider/local-models.ts";
export { openModel } from "./provider/open-model.ts";
export { copied, repaired } from "./repair.ts";
export * from "./session-hooks.ts";
export { isContent } from "./stored-message.ts";
