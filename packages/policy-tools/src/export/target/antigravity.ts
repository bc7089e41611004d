import { isBuiltIn } from "../baseline.ts";
import { mentionOf } from "../commands.ts";
import type { Notes, Target } from "../exported.ts";
import type { Effect } from "../wanted.ts";

/** Antigravity's permissions: `action(target)` in the lists allow, ask and deny. A deny beats an ask, an ask an allow. */
export const antigravity: Target = {
  file: "~/.gemini/antigravity-cli/settings.json",
  commands: "open",
  asksAbout: /[;&|<>`$()*?[{\n]/,
  write(effects, notes) {
    // A general ask would beat every allow. Without one, a command that nothing allows asks (toolPermission).
    const lists = { allow: new Set<string>(), ask: new Set<string>(), deny: new Set<string>() };
    for (const effect of effects) for (const rule of rulesOf(effect, notes)) lists[effect.behavior].add(rule);
    const permissions = Object.fromEntries(Object.entries(lists).map(([behavior, rules]) => [behavior, [...rules]]));
    return `${JSON.stringify({ toolPermission: "request-review", permissions }, null, 2)}\n`;
  },
};

/** One command without further scripts, substitutions or redirections. */
const PLAIN = "[^;&|<>`$()*?[{\\n]*";
const escaped = (text: string): string => text.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&");

function rulesOf(effect: Effect, notes: Notes): string[] {
  const { matter, behavior } = effect;
  switch (matter.kind) {
    case "command":
      return [...commandRules(effect, matter.pattern, notes)];
    case "path": {
      if (behavior === "allow") return leftOut(effect, notes);
      const action = matter.access === "read" ? ["read_file", "write_file"] : ["write_file"];
      const target = matter.path.replace(/^\.?\/(?!\/)/, "").replace(/\*\*$/, "");
      const mention = mentionOf(matter.path) ?? "";
      const own = action.map((one) => `${one}(${target})`);
      if (!isBuiltIn(effect)) notes("stricter", effect, `It also covers every command that contains "${mention}".`);
      return [...own, `command(regex:.*${escaped(mention)}.*)`];
    }
    case "host": {
      if (behavior === "allow") return leftOut(effect, notes);
      const host = matter.host.replace(/^\*+\.?/, "").replace(/:.*$/, "");
      notes("stricter", effect, "It also covers every command that contains the host's name.");
      return [`read_url(${host})`, `execute_url(${host})`, `command(regex:.*${escaped(host)}.*)`];
    }
    case "mcp":
      notes("same", effect, "Copied.");
      return [`mcp(${matter.server}/${matter.tool})`];
    case "tool": {
      const rules = WHOLE[matter.name];
      if (behavior === "allow" || rules === undefined) return leftOut(effect, notes);
      notes("same", effect, `It is now ${rules.join(", ")}.`);
      return [...rules];
    }
    default:
      return leftOut(effect, notes);
  }
}

const WHOLE: Readonly<Record<string, readonly string[]>> = {
  Bash: ["command(*)"],
  Read: ["read_file(*)"],
  Edit: ["write_file(*)"],
  Write: ["write_file(*)"],
  WebFetch: ["read_url(*)"],
  "mcp__*": ["mcp(*)"],
  "*": ["command(*)", "read_file(*)", "write_file(*)", "read_url(*)", "execute_url(*)", "mcp(*)"],
};

function leftOut(effect: Effect, notes: Notes): string[] {
  if (effect.behavior === "allow") notes("stricter", effect, "Left out, so it asks: its patterns could cover more.");
  else if (effect.behavior === "ask") notes("same", effect, "Nothing to write: what no rule allows asks there.");
  else notes("error", effect, "Antigravity's lists cannot express it.");
  return [];
}

function commandRules(effect: Effect, pattern: string, notes: Notes): string[] {
  const words = pattern.replace(/[ *]+$/, "").split(/\s+/);
  if (effect.behavior !== "allow") {
    if (!isBuiltIn(effect))
      notes("stricter", effect, "It also matches commands that only contain these words in this order.");
    const [first = "", ...rest] = words.map((word) => word.split("*").map(escaped).join(".*"));
    const boundary = /^\w/.test(words[0] ?? "") ? "\\b" : "";
    const plain = words.join(" ").includes("*") ? [] : [`command(${words.join(" ")})`];
    return [...plain, `command(regex:.*${[`${boundary}${first}`, ...rest].join(".*")}.*)`];
  }
  const isOpen = pattern.endsWith(" *");
  const start = isOpen ? pattern.slice(0, -2) : pattern;
  if (start.includes("*")) return leftOut(effect, notes);
  notes("same", effect, "Written as an expression for one plain command.");
  return [`command(regex:^${escaped(start)}${isOpen ? `(?: ${PLAIN})?` : ""}$)`];
}
