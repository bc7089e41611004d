import { builtinToolNames } from "@haft/core/policy";

/** Whether a group of hooks applies, given all names of what happened. */
export type Matcher = (names: readonly string[]) => boolean;

export interface ReadMatcher {
  readonly matches: Matcher;
  /** Why the matcher cannot work as intended. */
  readonly problem?: { readonly message: string; readonly cure: string };
}

const everything: Matcher = () => true;

/**
 * Reads a matcher. No text or `*` matches everything. Letters, digits, `_ - , |` and spaces are exact names. Anything
 * else is a regular expression that may match anywhere. An invalid expression matches everything: a guard that runs
 * too often is better than one that never runs.
 */
export function readMatcher(text: string | undefined): ReadMatcher {
  const written = text?.trim() ?? "";
  if (written === "" || written === "*") return { matches: everything };
  if (/^[\w\-,| ]+$/.test(written)) return exactNames(written);
  try {
    const expression = new RegExp(written);
    return { matches: (names) => names.some((name) => expression.test(name)) };
  } catch (thrown) {
    return {
      matches: everything,
      problem: {
        message: `The matcher "${written}" is not a regular expression (${(thrown as Error).message}), so the hooks run for everything.`,
        cure: "Correct the expression, or write tool names split by |.",
      },
    };
  }
}

/** Reports an exact name that no tool has but that nearly spells one of Haft's tools. The host's own tools may have any name. */
export function misspeltTool(matcher: string | undefined): ReadMatcher["problem"] {
  if (matcher === undefined || !/^[\w\-,| ]+$/.test(matcher)) return undefined;
  for (const word of wordsOf(matcher)) {
    const meant = builtinToolNames.canonical(word) === undefined ? builtinToolNames.nearest(word) : undefined;
    if (meant !== undefined)
      return {
        message: `Haft has no tool "${word}", so these hooks only run for a tool of that name from elsewhere.`,
        cure: `Did you mean "${meant}"?`,
      };
  }
  return undefined;
}

const wordsOf = (list: string): readonly string[] =>
  list
    .split(/[|,]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

function exactNames(written: string): ReadMatcher {
  const words = wordsOf(written);
  const wanted = new Set(words.flatMap((word) => [word, builtinToolNames.canonical(word) ?? word]));
  const matches: Matcher = (names) => names.some((name) => wanted.has(name));
  const server = words.find((word) => /^mcp__(?:(?!__).)+$/.test(word));
  if (server === undefined) return { matches };
  return {
    matches,
    problem: {
      message: `The matcher "${server}" is an exact name and no tool has it, so these hooks do not run for that server.`,
      cure: `Write "${server}__.*" for all tools of the server.`,
    },
  };
}
