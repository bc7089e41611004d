/** @module Tools from external sources. */
export * from "./mcp/index.ts";
