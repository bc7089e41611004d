import type { Toolbox } from "../toolbox.ts";
import type { WireNames } from "../wire-names.ts";
import type { AnsweredCall } from "./results.ts";
import type { AnthropicResults, AnthropicTool } from "./wire.ts";

/**
 * Which deferred tools a conversation knows by a reference in its messages. Others that are loaded (in a session that
 * goes on, after its messages were compacted) are given with their definition again.
 */
export interface References {
  /** What the model has to be given by definition, because no message refers to it. Asked for each request. */
  given(): ReadonlySet<string>;
  /** A request's tools, with those that messages refer to and that have gone: the API refuses a reference to nothing. */
  withReferred(tools: readonly AnthropicTool[]): AnthropicTool[];
  /** Lets the answer of the tool that loads others refer to what has been loaded since. */
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
