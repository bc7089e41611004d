import { parseRule, type ToolNames } from "@haft/core/policy";
import type { Skill } from "@haft/core/tool";
import { isTomlFile, readSkillPage } from "../frontmatter.ts";

/** The place of a skill's file, and who brings it. */
export interface SkillPlace {
  readonly file: string;
  readonly folder: string;
  /** The name where the file gives none, or none that can be used. */
  readonly fallback: string;
  readonly source: string;
  /** Stands before the name, as in `plugin:skill`. */
  readonly prefix?: string;
  /** Rules that its `allowed-tools` may not contain: a plugin that was not agreed to has none. */
  readonly names: ToolNames;
  /** The file is a slash command: people call it, and the model only if the file allows it. */
  readonly isCommand?: true;
  readonly answers?: Readonly<Record<string, string>>;
}

/** A skill, or the reason why the file has none. `notes` list what is ignored or was repaired. */
export type ReadSkill = { readonly skill: Skill; readonly notes: readonly string[] } | { readonly problem: string };

/** The most that the specification allows; longer texts are cut. */
const MOST_DESCRIPTION = 1024;

/** Fields of other programs that have no effect here. */
const IDLE = ["model", "effort", "hooks", "paths", "shell", "background", "compatibility"];

/** Reads the frontmatter of a SKILL.md. Mistakes are repaired where the meaning is clear, and noted. */
export function readSkill(
  text: string,
  { file, folder, fallback, source, prefix, names, isCommand, answers }: SkillPlace,
): ReadSkill {
  const { head, body, problem } = readSkillPage(file, text);
  if (problem !== undefined && isTomlFile(file)) return { problem };
  const notes: string[] =
    problem === undefined ? [] : [`its head is not valid YAML (${problem}); it was read line by line`];
  const name = nameOf(head.name, fallback, notes);
  if (name === undefined) return { problem: "its name must be letters, digits and dashes, at most 64" };
  const description = descriptionOf(head, body, isCommand ? [] : notes);
  if (description === undefined) return { problem: "it has neither a description nor a text" };
  const grants = rulesIn(head["allowed-tools"], "allow", names, notes);
  const denies = rulesIn(head["disallowed-tools"], "deny", names, notes);
  notes.push(...IDLE.flatMap((key) => (head[key] === undefined ? [] : [`${key} has no effect`])));
  const hint = textOf(head["argument-hint"]);
  const fork = head.context === "fork" ? (textOf(head.agent) ?? "general") : undefined;
  return {
    skill: {
      name: prefix === undefined ? name : `${prefix}:${name}`,
      ...{ description, source, file, folder, grants, denies },
      args: wordsIn(head.arguments),
      forModel: isCommand ? isNo(head["disable-model-invocation"]) : !isYes(head["disable-model-invocation"]),
      forPeople: head["user-invocable"] === undefined || isYes(head["user-invocable"]),
      ceiling: hasCeiling(head),
      ...(isCommand ? { isCommand } : {}),
      ...(isTomlFile(file) ? { isToml: true as const } : {}),
      ...(hint === undefined ? {} : { hint: hint.slice(0, 100) }),
      ...(fork === undefined ? {} : { fork }),
      ...(answers === undefined ? {} : { answers }),
    },
    notes,
  };
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

function nameOf(written: unknown, fallback: string, notes: string[]): string | undefined {
  if (typeof written === "string" && NAME.test(written)) {
    if (written !== fallback) notes.push(`its name "${written}" differs from its folder's name`);
    return written;
  }
  if (!NAME.test(fallback)) return undefined;
  if (written !== undefined) notes.push(`its name is invalid; its folder's name, ${fallback}, is used`);
  return fallback;
}

function descriptionOf(head: Readonly<Record<string, unknown>>, body: string, notes: string[]): string | undefined {
  const first = body.split(/\n\s*\n/).find((part) => part.trim() !== "" && !part.startsWith("#")) ?? body;
  const written = textOf(head.description);
  if (written === undefined && first.trim() === "") return undefined;
  if (written === undefined) notes.push("it has no description; its first paragraph is used");
  const text = [written ?? first.trim(), textOf(head.when_to_use)].filter(Boolean).join(" ");
  if (text.length > MOST_DESCRIPTION)
    notes.push(`its description has ${text.length} characters; the first ${MOST_DESCRIPTION} are used`);
  return text.slice(0, MOST_DESCRIPTION);
}

/** Rules of a list: words split by spaces or commas outside of parentheses, or a YAML list. */
function rulesIn(value: unknown, behavior: "allow" | "deny", names: ToolNames, notes: string[]): readonly string[] {
  return wordsIn(value).flatMap((text) => {
    const parsed = parseRule(text, behavior, names);
    if (!("problem" in parsed)) return [parsed.rule.subject.on === "nothing" ? inFamily(text, names) : text];
    notes.push(`"${text}" is left out: ${parsed.problem.message}`);
    return [];
  });
}

/** `Write(path)` as a rule about its family, `Edit(path)`: alone it would allow nothing. */
function inFamily(text: string, names: ToolNames): string {
  const [, tool = "", specifier = ""] = /^([^(]+)(\(.*)$/s.exec(text) ?? [];
  const canonical = names.canonical(tool);
  const family = canonical === undefined ? undefined : names.facts(canonical)?.family;
  return family === undefined ? text : `${family}${specifier}`;
}

const wordsIn = (value: unknown): readonly string[] =>
  typeof value === "string"
    ? (value.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [])
    : Array.isArray(value)
      ? value.filter((word) => typeof word === "string")
      : [];

/** `haft.ceiling: true`, also as a map `haft: { ceiling: true }` or within `metadata`. */
function hasCeiling(head: Readonly<Record<string, unknown>>): boolean {
  const places = [head, head.metadata].filter(isRecord);
  return places.some((place) => isYes(place["haft.ceiling"]) || (isRecord(place.haft) && isYes(place.haft.ceiling)));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== ""
    ? value.trim()
    : Array.isArray(value) && value.length > 0
      ? `[${value.join(" ")}]`
      : undefined;
const isYes = (value: unknown): boolean => value === true || /^(yes|on|true)$/i.test(String(value));
const isNo = (value: unknown): boolean => value === false || /^(no|off|false)$/i.test(String(value));
