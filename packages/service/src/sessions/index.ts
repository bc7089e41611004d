/** @module The sessions of a user on this machine, and the messages between them. */
export { type NewSession, openSessionRegistry, type SessionMessage, type SessionRegistry } from "./registry.ts";
export { openTextIndex, type TextIndex } from "./text-index.ts";
