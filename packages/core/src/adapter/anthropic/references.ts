import type { Toolbox } from "../toolbox.ts";
import type { WireNames } from "../wire-names.ts";
import type { AnsweredCall } from "./results.ts";
import type { AnthropicResults, AnthropicTool } from "./wire.ts";

/**
 * The deferred tools that the messages of a conversation refer to. Other loaded tools (in a resumed session, after a
 * compaction of its messages) are offered with their definition again.
 */
export interface References {
  /** The tools that need a definition because no message refers to them. Called for each request. */
  given(): ReadonlySet<string>;
  /** Adds the tools that messages refer to but that are gone: the API refuses a reference to a missing tool. */
  withReferred(tools: readonly AnthropicTool[]): AnthropicTool[];
  /** Makes the answer of the loader tool refer to the tools loaded since. */
  refer(calls: readonly AnsweredCall[], answer: AnthropicResults): AnthropicResults;
}

export function createReferences({ loader, loaded }: NonNullable<Toolbox["deferral"]>, names: WireNames): References {
  const referred = new Set<string>();
  let given = new Set(loaded());
  const last = new Map<string, AnthropicTool>();
  return {
    given() {
      given = new Set(loaded().filter((name) => !referred.has(name)));
      return given;
    },
    withReferred(tools) {
      for (const tool of tools) if (tool.defer_loading) last.set(tool.name, tool);
      const there = new Set(tools.map(({ name }) => name));
      const gone = [...referred].map((name) => names.toWire(name)).filter((name) => !there.has(name));
      return [...tools, ...gone.flatMap((name) => last.get(name) ?? [])];
    },
    refer(calls, answer) {
      const isGood = (at: number): boolean => answer.content[at]?.is_error !== true;
      const at = calls.findIndex(({ tool, cut }, index) => tool === loader && !cut && isGood(index));
      const fresh = loaded().filter((name) => !referred.has(name) && !given.has(name));
      const result = answer.content[at];
      if (!result || fresh.length === 0) return answer;
      for (const name of fresh) referred.add(name);
      const content = fresh.map((name) => ({ type: "tool_reference" as const, tool_name: names.toWire(name) }));
      return { ...answer, content: answer.content.with(at, { ...result, content }) };
    },
  };
}
