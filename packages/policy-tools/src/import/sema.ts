import { createDraft, type Draft, unreadable } from "./draft.ts";
import type { Importer } from "./imported.ts";
import { isBroken, isObject, type Raw, readObject, textsOf } from "./json.ts";

/**
 * Sema's project settings: the `allowedTools` that a person's answers added, at the top or under a project. They only
 * allow, so an entry that Haft cannot express is left out and asks.
 */
export const importSema: Importer = (text) => {
  const file = readObject(text);
  if (isBroken(file)) return unreadable(file.broken, file.line);
  const draft = createDraft();
  const lists = allowLists(file, 3);
  if (lists.length === 0) draft.note("error", { from: "allowedTools" }, "There is no list of this name in the file.");
  if (lists.length > 1)
    draft.note(
      "error",
      { from: "allowedTools" },
      `${lists.length} projects are in the file. Import one project's settings at a time.`,
    );
  else for (const entry of lists.flat()) takeEntry(draft, entry);
  for (const key of Object.keys(file).filter((key) => /^skip.*Permission$/.test(key) && file[key] === true))
    draft.note("warning", { from: key }, "Left out, so the mode decides these calls.");
  return draft.finish();
};

/** Every list with that name, at most `depth` objects deep. */
function allowLists(value: Raw, depth: number): (readonly string[])[] {
  const own = Object.hasOwn(value, "allowedTools") ? [textsOf(value.allowedTools).texts] : [];
  const inner = depth === 0 ? [] : Object.values(value).filter(isObject);
  return [...own, ...inner.flatMap((child) => allowLists(child, depth - 1))];
}

function takeEntry(draft: Draft, entry: string): void {
  const place = { from: entry };
  const [, name = "", specifier] = /^([^(]+)(?:\((.*)\))?$/s.exec(entry.trim()) ?? [];
  if (/^(?:Bash|run_shell)$/.test(name) && specifier !== undefined) {
    if (specifier.replace(/:\*$/, "").includes("*"))
      draft.note("warning", place, "Left out, so it asks: `*` in the middle is literal there but a wildcard in Haft.");
    else draft.rule("allow", `Bash(${specifier})`, place);
    return;
  }
  if (name === "fetch_url" && specifier !== undefined) {
    draft.rule("allow", `WebFetch(domain:${specifier})`, place);
    return;
  }
  if (name === "Skill" && specifier !== undefined) {
    draft.rule("allow", `Skill(${specifier})`, place);
    return;
  }
  if (/^mcp__.+?__./.test(name) && specifier === undefined && !name.includes("*")) {
    draft.rule("allow", name, place);
    return;
  }
  if (/^mcp__[^_]+_[^_]+$/.test(name)) {
    draft.rule("allow", name.replace(/^(mcp__[^_]+)_/, "$1__"), place);
    return;
  }
  draft.note("warning", place, "Left out, so it asks: it names no command, skill, host or tool of a server.");
}
