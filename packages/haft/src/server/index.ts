/** @module The server of `haft serve`: an API over many sessions, and the console. */

export { CanvasBoard } from "./canvas/board.ts";
export { createTokens, newToken, readTokens } from "./http/tokens.ts";
export { createServerApi, type ServerHandle, type ServerOptions, startServer } from "./start.ts";
