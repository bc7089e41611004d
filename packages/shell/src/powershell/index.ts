/** @module Turns a PowerShell script into effects, with the same interface as bash. */
export { analysePowerShell } from "./analyse.ts";
export type { PowerShellContext } from "./context.ts";
