/** @module The terminal UI: the session as rows, questions as dialogs, and a line to type in. */
export { runTerminal } from "./run-terminal.ts";
export type { TerminalOptions } from "./terminal-session.ts";
