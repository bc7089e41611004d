import type { SchemaLike } from "../../schema/index.ts";
import { toJson } from "../../tool/index.ts";
import type {
  InitContext,
  ToolDraft,
  ToolDraftAsync,
  ToolInfo,
  ToolInfoAsync,
  ToolInitResult,
  ToolMetadata,
} from "./types.ts";

function define<P extends SchemaLike, M extends ToolMetadata = ToolMetadata>(
  id: string,
  info: ToolDraft<P, M>,
): ToolInfo<P, M>;
function define<P extends SchemaLike, M extends ToolMetadata = ToolMetadata>(
  id: string,
  info: ToolDraftAsync,
  init: (ctx?: InitContext) => Promise<ToolInitResult<P, M>>,
): ToolInfoAsync<P, M>;
function define(id: string, info: object, init?: unknown): object {
  return { ...info, id, ...(init === undefined ? {} : { init }) };
}

/** For each tool, the context of its current or last initialisation. */
const started = new WeakMap<object, { readonly key: string; readonly result: Promise<ToolInitResult> }>();

/**
 * Initialises an asynchronous tool for a context. Concurrent calls share one initialisation, and a failed one is
 * retried. Another context needs a new initialisation, which includes skills added since.
 */
function initialize<P extends SchemaLike, M extends ToolMetadata>(
  tool: ToolInfoAsync<P, M>,
  ctx: InitContext = {},
): Promise<ToolInitResult<P, M>> {
  const key = toJson(ctx);
  const before = started.get(tool);
  if (before?.key === key) return before.result as unknown as Promise<ToolInitResult<P, M>>;
  const result = (async () => tool.init(ctx))();
  const entry = { key, result: result as unknown as Promise<ToolInitResult> };
  started.set(tool, entry);
  result.then(
    (initialized) => {
      if (started.get(tool) === entry) tool._initialized = initialized;
    },
    () => {
      if (started.get(tool) === entry) started.delete(tool);
    },
  );
  return result;
}

/** Makes tools of this shape. */
export const Tool = { define, initialize };
