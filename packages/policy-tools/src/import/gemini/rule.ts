import type { Behavior } from "@haft/core/policy";
import type { Draft } from "../draft.ts";
import type { Place } from "../imported.ts";
import { isObject, type Raw } from "../json.ts";

/** A parsed rule of a policy file, without the conditions that Haft does not know. */
export interface GeminiRule {
  readonly behavior: Behavior;
  readonly priority: number;
  readonly tools: readonly string[];
  /** Server of an MCP tool; `*` matches every server. */
  readonly server?: string;
  /** The start of a command, one entry per choice. Absent: every call. */
  readonly prefixes?: readonly string[];
  /** A regular expression over the call's arguments. */
  readonly pattern?: string;
  /** Whether the pattern is tested after `"command":"`. */
  readonly isCommandPattern: boolean;
  /** A condition was dropped, so the rule matches more than before. */
  readonly isWidened: boolean;
  readonly place: Place;
}

const DECISIONS: Readonly<Record<string, Behavior>> = { allow: "allow", ask_user: "ask", deny: "deny" };
const KNOWN: ReadonlySet<string> = new Set(
  "toolName mcpName subagent argsPattern commandPrefix commandRegex decision priority modes interactive toolAnnotations allowRedirection allow_redirection denyMessage deny_message source name".split(
    " ",
  ),
);

/** Reads one `[[rule]]`; `undefined` if nothing of it remains. */
export function readGeminiRule(draft: Draft, rule: unknown, place: Place): GeminiRule | undefined {
  const decision = isObject(rule) && typeof rule.decision === "string" ? rule.decision : "";
  const written = Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  if (!isObject(rule) || written === undefined)
    return refused(draft, place, "A rule needs a decision: allow, ask_user or deny.");
  const unknown = Object.keys(rule).find((key) => !KNOWN.has(key));
  if (unknown !== undefined)
    return refused(draft, place, `The field "${unknown}" is unknown, so the meaning of the rule is unknown.`);
  const tools = texts(rule.toolName ?? "*");
  const prefixes = rule.commandPrefix === undefined ? undefined : texts(rule.commandPrefix);
  const server = rule.mcpName;
  const pattern = rule.commandRegex ?? rule.argsPattern;
  const priority = rule.priority ?? 0;
  if (!tools || (rule.commandPrefix !== undefined && !prefixes))
    return refused(draft, place, "toolName and commandPrefix are texts or lists of texts.");
  if ((server !== undefined && typeof server !== "string") || (pattern !== undefined && typeof pattern !== "string"))
    return refused(draft, place, "mcpName, argsPattern and commandRegex are texts.");
  if (typeof priority !== "number" || priority < 0 || priority > 999)
    return refused(draft, place, "priority is a number from 0 to 999. Gemini CLI refuses the file, too.");
  const choices = [rule.commandPrefix, rule.commandRegex, rule.argsPattern].filter((choice) => choice !== undefined);
  if (choices.length > 1)
    return refused(
      draft,
      place,
      "A rule takes only one of commandPrefix, commandRegex and argsPattern; it is unclear which one applies.",
    );
  const conditions = conditionsOf(rule, written);
  const behavior = withoutConditions(draft, rule, written, conditions, place);
  if (!behavior) return undefined;
  if (typeof rule.denyMessage === "string") draft.note("notice", place, "Its denyMessage is dropped.");
  return {
    behavior,
    priority,
    tools,
    ...(server === undefined ? {} : { server }),
    ...(prefixes ? { prefixes } : {}),
    ...(pattern === undefined ? {} : { pattern }),
    isCommandPattern: rule.commandRegex !== undefined,
    isWidened: conditions.length > 0,
    place,
  };
}

function refused(draft: Draft, place: Place, message: string): undefined {
  draft.note("error", place, message);
  return undefined;
}

/** The fields that limit when a rule applies. */
const conditionsOf = (rule: Raw, behavior: Behavior): string[] =>
  [
    rule.subagent === undefined ? "" : "subagent",
    isObject(rule.toolAnnotations) && Object.keys(rule.toolAnnotations).length > 0 ? "toolAnnotations" : "",
    rule.interactive === undefined ? "" : "interactive",
    modesOf(rule.modes, behavior),
  ].filter((condition) => condition !== "");

/** The rule's behavior without its conditions: a conditional allow is dropped. */
function withoutConditions(
  draft: Draft,
  rule: Raw,
  behavior: Behavior,
  conditions: readonly string[],
  place: Place,
): Behavior | undefined {
  if (conditions.length === 0) return behavior;
  if (behavior === "allow") {
    draft.note("warning", place, `Left out, so it asks: Haft's rules do not support ${conditions.join(", ")}.`);
    return undefined;
  }
  if (isPlanOnly(rule.modes) && rule.toolName === "*") {
    draft.note("warning", place, "Left out: Haft's plan mode has its own table, which refuses every change.");
    return undefined;
  }
  // An ask without anybody to ask is a deny, so it equals a deny that applies only when unattended.
  const isUnattended = behavior === "deny" && rule.interactive === false && conditions.length === 1;
  draft.note(
    "warning",
    place,
    isUnattended
      ? "Imported as an ask, which is a deny if nobody is there."
      : `Made stricter: it applies whatever the ${conditions.join(", ")}.`,
  );
  return isUnattended ? "ask" : behavior;
}

/** Rules apply in every mode here. So an allow must apply in all modes that change something, and a restriction in every mode. */
function modesOf(modes: unknown, behavior: Behavior): string {
  if (!Array.isArray(modes) || modes.length === 0) return "";
  const needed = behavior === "allow" ? ["default", "autoEdit", "yolo"] : ["plan", "default", "autoEdit", "yolo"];
  return needed.every((mode) => modes.includes(mode)) ? "" : "modes";
}

const isPlanOnly = (modes: unknown): boolean => Array.isArray(modes) && modes.every((mode) => mode === "plan");

function texts(value: unknown): string[] | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((item): item is string => typeof item === "string" && item !== "")
    ? (list as string[])
    : undefined;
}
