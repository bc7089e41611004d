import type { Behavior } from "@haft/core/policy";
import type { Draft } from "../draft.ts";
import type { Place } from "../imported.ts";
import { commandRule } from "../specifier/command.ts";
import { allowingPath, restrictingPath } from "../specifier/path.ts";

/** The meaning of a permission key of opencode. */
export interface KeyMeaning {
  readonly kind: "command" | "path" | "tool" | "name" | "url" | "folder";
  /** The matching tools of Haft. The first is used in rules with a pattern. */
  readonly tools: readonly string[];
  /** Whether allowing everything needs a rule. Otherwise the mode already covers it. */
  readonly opens?: true;
}

/** The keys that opencode documents. Any other key is a tool's name. */
export const KEYS: Readonly<Record<string, KeyMeaning>> = {
  bash: { kind: "command", tools: ["Bash"] },
  edit: { kind: "path", tools: ["Edit", "Write", "NotebookEdit", "apply_patch"] },
  read: { kind: "path", tools: ["Read", "ReadManyFiles"] },
  glob: { kind: "tool", tools: ["Glob"] },
  grep: { kind: "tool", tools: ["Grep"] },
  list: { kind: "tool", tools: ["Ls"] },
  webfetch: { kind: "url", tools: ["WebFetch"] },
  websearch: { kind: "tool", tools: ["WebSearch"], opens: true },
  task: { kind: "name", tools: ["Agent"] },
  skill: { kind: "name", tools: ["Skill"] },
  question: { kind: "tool", tools: ["AskUserQuestion"] },
  todowrite: { kind: "tool", tools: ["TodoWrite"] },
  lsp: { kind: "tool", tools: ["LSP"] },
  plan_enter: { kind: "tool", tools: ["EnterPlanMode"] },
  plan_exit: { kind: "tool", tools: ["ExitPlanMode"] },
  external_directory: { kind: "folder", tools: [] },
};

/** Adds the rules for one pattern under a key. */
export function takePattern(draft: Draft, meaning: KeyMeaning, action: Behavior, pattern: string, place: Place): void {
  const all = /^\*+$/.test(pattern);
  switch (meaning.kind) {
    case "command":
      commandRule(draft, action, pattern, place);
      return;
    case "path":
      action === "allow"
        ? allowPath(draft, meaning, pattern, place)
        : restrictPath(draft, meaning, action, pattern, place);
      return;
    case "folder":
      folderRule(draft, action, pattern, place);
      return;
    case "name":
      nameRule(draft, meaning, action, pattern, place);
      return;
    case "url":
      urlRule(draft, action, pattern, place);
      return;
    case "tool":
      if (action === "allow" && !all) {
        leaveOut(draft, place, "rules for this tool have no patterns");
        return;
      }
      if (action === "allow" && !meaning.opens) return;
      if (!all) draft.note("warning", place, `Made stricter: the ${action} is for the whole tool.`);
      wholeTools(draft, meaning, action, place);
      return;
  }
}

function wholeTools(draft: Draft, { tools }: KeyMeaning, action: Behavior, place: Place): void {
  for (const tool of tools) draft.rule(action, tool, place);
}

const leaveOut = (draft: Draft, place: Place, why: string): void =>
  draft.note("warning", place, `Left out, so Haft's mode decides: ${why}.`);

function restrictPath(draft: Draft, meaning: KeyMeaning, action: Behavior, pattern: string, place: Place): void {
  const path = restrictingPath(pattern);
  if ("all" in path) {
    wholeTools(draft, meaning, action, place);
    return;
  }
  draft.rule(action, `${meaning.tools[0]}(${path.specifier})`, place);
  if (path.isWider) draft.note("warning", place, `Made stricter: it is now ${path.specifier}.`);
}

function allowPath(draft: Draft, { tools: [tool] }: KeyMeaning, pattern: string, place: Place): void {
  const path = allowingPath(pattern);
  if (path === undefined) leaveOut(draft, place, "paths count from the project, and this one does not");
  else draft.rule("allow", `${tool}(${path})`, place);
}

/** Folders outside the project. An allowed one counts as workspace; all others ask anyway. */
function folderRule(draft: Draft, action: Behavior, pattern: string, place: Place): void {
  const folder = /^((?:~|\$HOME|\/)[^*?]*?)\/\*+$/.exec(pattern)?.[1]?.replace(/^\$HOME/, "~");
  if (action === "allow") {
    if (folder) draft.directory(folder);
    else leaveOut(draft, place, "only a folder with /* behind it can be added to the workspace");
    return;
  }
  const path = restrictingPath(pattern);
  if ("all" in path) {
    if (action === "ask") return;
    // No rule can express "outside", but the mode that refuses everything without an allow rule does.
    draft.mode("dontAsk");
    draft.note(
      "warning",
      place,
      "Made stricter: no rule can deny places outside, so sessions start in the mode dontAsk, which refuses everything that no rule allows. Without this line they would ask.",
    );
    return;
  }
  for (const word of ["read", "write"]) draft.rule(action, `${word}(${path.specifier})`, place);
}

function nameRule(
  draft: Draft,
  { tools: [tool = ""] }: KeyMeaning,
  action: Behavior,
  pattern: string,
  place: Place,
): void {
  if (/^\*+$/.test(pattern)) {
    draft.rule(action, tool, place);
    return;
  }
  if (action === "allow" && pattern.includes("?")) {
    leaveOut(draft, place, "a name pattern has no ?");
    return;
  }
  draft.rule(action, `${tool}(${pattern.replaceAll("?", "*")})`, place);
}

function urlRule(draft: Draft, action: Behavior, pattern: string, place: Place): void {
  if (/^\*+$/.test(pattern)) {
    draft.rule(action, "WebFetch", place);
    return;
  }
  const host = /^https?:\/\/([^/*?@:\s]+)(?:[/:].*|\*?)$/.exec(pattern)?.[1];
  if (action === "allow") {
    leaveOut(
      draft,
      place,
      host ? `WebFetch(domain:${host}) would mean every protocol, port and path` : "web rules only match hosts",
    );
    return;
  }
  const isWhole = host === undefined || /^https?:\/\/[^/:]+\*/.test(pattern);
  draft.note(
    "warning",
    place,
    isWhole ? "Made stricter: it means the whole tool." : `Made stricter: it means all of ${host}.`,
  );
  draft.rule(action, isWhole ? "WebFetch" : `WebFetch(domain:${host})`, place);
}
