import { parse, TomlError } from "smol-toml";
import { createDraft, type Draft, refuseMisspelt, unreadable } from "../draft.ts";
import type { Importer, Place } from "../imported.ts";
import { isObject } from "../json.ts";
import { flatten, type OrderedRule } from "../order/flatten.ts";
import { type GeminiRule, readGeminiRule } from "./rule.ts";
import { type Target, targetsOf, writeTarget } from "./target.ts";

/**
 * A policy file of Gemini CLI (TOML). There the matching rule with the highest priority decides, so an allow that outranks
 * a deny of the same calls is refused. A condition that Haft cannot express widens a restriction and drops an allow.
 */
export const importGemini: Importer = (text, options = {}) => {
  let file: Record<string, unknown>;
  try {
    file = parse(text);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return unreadable(`This is not TOML: ${thrown.message.split("\n", 1)[0]}.`, thrown.line);
  }
  const draft = createDraft();
  const written = Array.isArray(file.rule) ? file.rule : [];
  if (file.rule !== undefined && !Array.isArray(file.rule))
    draft.note("error", { from: "rule" }, "Rules are written as [[rule]].");
  const lines = headerLines(text, "rule");
  const rules = written.flatMap(
    (rule: unknown, index) => readGeminiRule(draft, rule, placeOf(rule, index, lines[index])) ?? [],
  );
  for (const [index, line] of headerLines(text, "safety_checker").entries())
    draft.note(
      "error",
      { from: `safety_checker ${index + 1}`, line },
      "A checker may deny, and Haft cannot run it. Replace it with a PreToolUse hook and remove it here.",
    );
  refuseMisspelt(draft, file, ["rule", "safety_checker"]);
  const foreign = Object.keys(file).filter((key) => key !== "rule" && key !== "safety_checker");
  if (foreign.length > 0) draft.note("notice", { from: foreign.join(", ") }, "Left out: not a rule.");
  takeInOrder(draft, rules, options.leaveReads === true);
  return draft.finish();
};

/** Adds the rules in their order. Compares them as texts, so that equal targets are found: tool, a line break, the command. */
function takeInOrder(draft: Draft, rules: readonly GeminiRule[], leaveReads: boolean): void {
  // With equal priority the first rule decides here, but the last one in `flatten`. So it is sorted behind the other.
  const rising = rules
    .map((rule, index) => ({ rule, index }))
    .sort((a, b) => a.rule.priority - b.rule.priority || b.index - a.index);
  const ordered = rising.flatMap(({ rule }) =>
    sayable(draft, rule).map(
      (target): OrderedRule<Placed> => ({
        patterns: target.patterns,
        action: rule.behavior,
        place: { ...rule.place, target },
        isWidened: target.isWidened,
      }),
    ),
  );
  const { kept, conflicts, silenced, left } = flatten(ordered, leaveReads);
  for (const { earlier, later } of conflicts)
    draft.note(
      "error",
      later.place,
      `It allows, with a higher priority, some of what ${shown(earlier.place)} denies. In Haft a deny has no exceptions: narrow the deny, or remove the allow.`,
    );
  for (const { earlier, later } of silenced)
    draft.note(
      "warning",
      later.place,
      `No effect where ${shown(earlier.place)} (lower priority) matches the same calls: in Haft the stricter one wins.`,
    );
  for (const { place } of left)
    draft.note("notice", place, "Left to Haft's mode, which asks except for read-only calls.");
  for (const { action, place } of kept) writeTarget(draft, action, place.target, place);
}

/** Drops an allow with a condition that Haft cannot express, before anything is compared with it. */
function sayable(draft: Draft, rule: GeminiRule): Target[] {
  const targets = targetsOf(rule);
  if (rule.behavior !== "allow") return targets;
  const [unsaid] = targets.filter((target) => target.unsaid !== undefined);
  if (unsaid)
    draft.note(
      "warning",
      rule.place,
      `Left out, so it asks: the condition ${JSON.stringify(unsaid.unsaid)} cannot be expressed.`,
    );
  return targets.filter((target) => target.unsaid === undefined);
}

interface Placed extends Place {
  readonly target: Target;
}

const shown = ({ from, line }: Place): string => (line === undefined ? `"${from}"` : `"${from}" (line ${line})`);

function placeOf(rule: unknown, index: number, line: number | undefined): Place {
  const name = isObject(rule)
    ? [rule.toolName ?? rule.mcpName ?? "*", rule.commandPrefix ?? rule.commandRegex ?? rule.argsPattern]
        .filter((part) => part !== undefined)
        .map(String)
        .join(" ")
    : "";
  return { from: `rule ${index + 1}${name === "" ? "" : `: ${name}`}`, ...(line === undefined ? {} : { line }) };
}

/** Lines of `[[name]]`, in order. One inside a multi-line text counts too, and would shift the places of notes. */
const headerLines = (text: string, name: string): number[] =>
  text.split("\n").flatMap((line, index) => (line.trimStart().startsWith(`[[${name}]]`) ? [index + 1] : []));
