import type { Toolbox } from "../adapter/index.ts";
import type { CallEvent, CallEventType } from "../executor/index.ts";
import type { Entry, Offer, Registry } from "../registry/index.ts";
import { fail, type Progress, type Result, type ToolLike } from "../tool/index.ts";

/** Options of one call. */
export interface HostCallOptions {
  readonly id?: string;
  readonly messageId?: string;
  readonly signal?: AbortSignal;
  readonly onUpdate?: (progress: Progress) => void;
}

/** The base of the functions of each shape: a Haft. Their calls go through its one pipeline. */
export interface ToolHost {
  readonly cwd: string;
  readonly registry: Registry;
  readonly toolbox: Toolbox;
  /** One call through the whole pipeline. Never rejects because of the call. */
  call(tool: string, input: unknown, options?: HostCallOptions): Promise<Result>;
  /** Receives the events of calls until the returned function is called. */
  on(listener: (event: CallEvent) => void, types?: readonly CallEventType[]): () => void;
  /** The tools of the next request; resolves texts that a tool gives later. */
  offer(): Promise<Offer>;
  /** Lists the tools of discovery programs and MCP servers again. */
  discover?(): Promise<void>;
}

/** Adds the host's own tools. @throws HaftError `validation_failed` with the reason for the first that is refused. */
export function addTools(registry: Registry, tools: readonly ToolLike[]): void {
  const { refused } = registry.add({ origin: "custom", name: "host" }, tools);
  const [first] = refused;
  if (first) fail("validation_failed", first.message, first.hint);
}

/**
 * Entries by name or alias, in the order of the registry.
 *
 * @throws HaftError `unknown_tool` that names the unknown ones and the nearest known names.
 */
export function entriesNamed(registry: Registry, names: readonly string[]): readonly Entry[] {
  const found = new Set(names.map((name) => registry.get(name)));
  if (!found.has(undefined)) return registry.entries().filter((entry) => found.has(entry));
  const unknown = names.filter((name) => !registry.get(name));
  const nearest = unknown.flatMap((name) => registry.suggest(name) ?? []);
  return fail(
    "unknown_tool",
    `There ${unknown.length === 1 ? "is no tool" : "are no tools"} ${unknown.map((name) => `"${name}"`).join(", ")}.`,
    nearest.length > 0 ? `Did you mean ${nearest.map((name) => `"${name}"`).join(", ")}?` : "Look at the known tools.",
  );
}

/** The text of a tool for the model as far as it is known without a request. */
export const knownDescription = ({ tool: { name, description, title } }: Entry): string =>
  typeof description === "string" ? description : (title ?? name);
