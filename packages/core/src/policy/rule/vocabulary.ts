/** The words of the rule language. Data only: the tools define how rules refer to them. */

/** The words that make a rule about an effect when a parenthesis follows. */
export const EFFECT_WORDS = ["read", "write", "delete", "run", "connect", "send", "call"] as const;

/** An effect that rules can be about. */
export type RuleWord = (typeof EFFECT_WORDS)[number];

/** Effects that exist but have no rule of their own, with what to write instead. */
export const UNRULED_WORDS: ReadonlyMap<string, string> = new Map([
  ["delegate", "Write Agent(type)."],
  ["ask", "Name the tool instead."],
  ["state", "Name the tool instead."],
  ["unknown", "Unknown effects always ask; only a bare tool rule such as Bash covers them."],
]);

/** Former tools of the documented rule language, with their replacements. */
export const FORMER_PATH_TOOLS: ReadonlyMap<string, { readonly tool: string; readonly word: "read" | "write" }> =
  new Map([
    ["MultiEdit", { tool: "Edit", word: "write" }],
    ["LS", { tool: "Read", word: "read" }],
    ["NotebookRead", { tool: "Read", word: "read" }],
  ]);

/** Programs that share their name with a field of the shell tool: `Bash(tty:*)` is the old spelling of `Bash(tty *)`. */
export const SHELL_PROGRAMS: ReadonlySet<string> = new Set(["timeout", "tty"]);
