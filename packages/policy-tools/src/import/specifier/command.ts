import { type Behavior, substitutesOf } from "@haft/core/policy";
import type { Draft } from "../draft.ts";
import type { Place } from "../imported.ts";

/**
 * Adds the rule for a command wildcard: `*` is any text, `?` one character, which Haft does not have. A single command
 * never contains an operator, so a restriction with one is cut there.
 */
export function commandRule(draft: Draft, behavior: Behavior, wildcard: string, place: Place): void {
  if (/^[*\s]+$/.test(wildcard)) {
    // `Bash` would also cover files that a redirection writes; `Bash(**)` covers only commands.
    const tools = behavior === "allow" ? ["Bash(**)"] : ["Bash", ...substitutesOf("Bash")];
    for (const tool of tools) draft.rule(behavior, tool, place);
    return;
  }
  if (behavior === "allow") {
    if (/[?|&;<>\n]|^(?:~|\$HOME)/.test(wildcard))
      draft.note("warning", place, "Left out, so it asks: the pattern is not for a single command.");
    else draft.rule("allow", `Bash(${exactEnd(wildcard)})`, place);
    return;
  }
  const wide = wildcard.replaceAll("?", "*").replace(/^(?:~|\$HOME)(?=\/)/, "*");
  const operator = wide.search(/[|&;<>\n]/);
  const start = operator < 0 ? wide : `${wide.slice(0, operator).trimEnd().replace(/\*+$/, "").trimEnd()}*`;
  if (/^[*\s]*$/.test(start)) {
    draft.note(
      "error",
      place,
      `This ${behavior} matches every command with an operator, which no rule can express. Remove it; redirections count as edits of their files.`,
    );
    return;
  }
  if (start !== wildcard)
    draft.note("warning", place, `Made stricter: it is now the ${behavior} Bash(${exactEnd(start)}).`);
  draft.rule(behavior, `Bash(${exactEnd(start)})`, place);
}

/** `:*` at the end has a special meaning in Haft. */
const exactEnd = (pattern: string): string => pattern.replace(/:\*$/, ":**");
