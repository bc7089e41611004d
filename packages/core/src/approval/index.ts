/** @module Asking people, and what an answer leaves behind. */
export * from "./answer.ts";
export * from "./broker.ts";
export * from "./can-use-tool.ts";
export * from "./confirmation.ts";
export * from "./details.ts";
export * from "./grant.ts";
export * from "./outcome.ts";
export * from "./permission-update.ts";
export * from "./request.ts";
export * from "./store.ts";
export * from "./visible.ts";
