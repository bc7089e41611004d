/** @module The class route: declarative tools that build validated invocations. */
export * from "./confirmation.ts";
export * from "./from.ts";
export * from "./invocation.ts";
export * from "./kind.ts";
export * from "./message-bus.ts";
export * from "./registry.ts";
export * from "./result.ts";
export * from "./tool.ts";
