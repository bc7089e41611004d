/** @module The terminal UI: the session as rows, questions as dialogs, and a line to type in. */
export { runTerminal, type TerminalOptions } from "./run-terminal.ts";
