/** @module The tools that run shell commands, for programs that need no other tool. */
export { bash } from "./bash.ts";
export { powershell } from "./powershell.ts";
