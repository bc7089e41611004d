/** @module MCP servers as a source of tools. The protocol's code is loaded when the first server is connected. */
export type { Browser } from "./auth/browser.ts";
export { logOut } from "./auth/log-out.ts";
export { loopbackBrowser } from "./auth/loopback.ts";
export { assertTokenFile } from "./auth/token-store.ts";
export { contentDisplay, type McpOutput } from "./call/content.ts";
export type { ResourceEntry } from "./definition/resource.ts";
export { logFileOf } from "./log-file.ts";
export { createMcpManager } from "./manager.ts";
export type { McpManager, McpManagerOptions, McpServers, McpStatus } from "./manager-options.ts";
export type { RemotePrompt } from "./prompts.ts";
export { type McpInfo, pageAgent } from "./remote-tool.ts";
export { describeServer, type McpServer } from "./server.ts";
export { createLogTail, type LogTail } from "./transport/log-tail.ts";
export { SERVER_MARK, type ServerProcess, startServer } from "./transport/server-process.ts";
