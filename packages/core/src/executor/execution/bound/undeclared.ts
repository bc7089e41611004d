import { fail } from "../../../tool/index.ts";

/** Refuses a tool's action beyond the granted effects. */
export function undeclared(tool: string, what: string): never {
  fail(
    "undeclared_effect",
    `${tool} tried to ${what}, which it did not declare as an effect of this call.`,
    "The tool must declare it in `effects`.",
  );
}
