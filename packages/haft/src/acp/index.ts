/** @module The agent for editors: the Agent Client Protocol over a stream. */

export { type AcpOptions, serveAcp } from "./serve-acp.ts";
