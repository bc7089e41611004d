import { eachInSteps, type InSteps } from "./cooperative-yield.ts";
import { localName, type SearchableTool } from "./document.ts";

/** Finds tools by name, ignoring case. */
export interface NameIndex {
  /** The tools with exactly this name: their own, an alias, or `server/name`. */
  named(name: string): readonly number[];
  /** The tools whose name occurs in a text as a separate word. A name that is an ordinary word does not count. */
  within(text: string): readonly number[];
}

export function* createNameIndex(tools: readonly SearchableTool[]): InSteps<NameIndex> {
  const byName = new Map<string, number[]>();
  yield* eachInSteps(tools, (tool, index) => {
    for (const key of new Set(keysOf(tool))) {
      const bearers = byName.get(key);
      if (bearers) bearers.push(index);
      else byName.set(key, [index]);
    }
  });
  const named = (name: string): readonly number[] => byName.get(name.trim().toLowerCase()) ?? [];
  return {
    named,
    within: (text) =>
      text
        .split(/[\s,;"'`()]+/)
        .filter((word) => /[_/-]|\p{Ll}\p{Lu}/u.test(word))
        .flatMap(named),
  };
}

function keysOf({ name, server, aliases = [] }: SearchableTool): string[] {
  const local = localName(name);
  const qualified = server === undefined ? [] : [`${server}/${local}`, `mcp__${server}__${local}`];
  return [name, local, ...aliases, ...qualified].map((key) => key.toLowerCase());
}
