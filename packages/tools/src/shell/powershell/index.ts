/** @module Turns a PowerShell script into effects, behind the same shape as bash. */
export { analysePowerShell } from "./analyse.ts";
export type { PowerShellContext } from "./context.ts";
