/** @module Tools from elsewhere. */
export * from "./mcp/index.ts";
