/** @module The tools that run shell commands, for programs that need no other tool. */
export { bash } from "./builtin/run/bash.ts";
export { powershell } from "./builtin/run/powershell.ts";
