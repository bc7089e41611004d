import { RESULT_CHARS } from "../../budget/index.ts";
import type { SchemaLike } from "../../schema/index.ts";
import type { Progress, Tool, ToolDef } from "./types.ts";

export { lazySchema } from "../../schema/index.ts";

/** A tool with defaults for omitted fields: not read-only, destructive, never parallel, cancelled by an interrupt. */
export function buildTool<Input extends SchemaLike, Output, P = Progress>(
  definition: ToolDef<Input, Output, P>,
): Tool<Input, Output, P> {
  return {
    isEnabled: () => true,
    isReadOnly: () => false,
    isDestructive: (input) => !(definition.isReadOnly?.(input) ?? false),
    isConcurrencySafe: (input) => definition.isReadOnly?.(input) ?? false,
    interruptBehavior: () => "cancel",
    maxResultSizeChars: RESULT_CHARS,
    ...definition,
  };
}
