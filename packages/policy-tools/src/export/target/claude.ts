import { isBuiltIn } from "../baseline.ts";
import { commandPatterns, mentionOf } from "../commands.ts";
import type { Notes, Target } from "../exported.ts";
import type { Effect } from "../wanted.ts";

/** Commands that Claude Code runs without asking and that show the content of whole trees. */
const TREE_READERS = ["grep", "find", "diff"];

/** Claude Code's settings.json. Its rules are Haft's without effects, so most are copied. */
export const claude: Target = {
  file: ".claude/settings.json",
  commands: "open",
  // It judges each command of a script and of a substitution by itself, and a redirection as an edit.
  asksAbout: /\$\(|`|[<>]/,
  looksPast: ["NODE_ENV=test ", "timeout 5 "],
  write(effects, notes) {
    const lists = { allow: new Set<string>(), ask: new Set<string>(), deny: new Set<string>() };
    for (const effect of effects) for (const rule of rulesOf(effect, notes)) lists[effect.behavior].add(rule);
    if (effects.some(closesFiles)) {
      for (const name of TREE_READERS) lists.ask.add(`Bash(${name} *)`);
      notes("stricter", undefined, `${TREE_READERS.join(", ")} ask: nothing hides the closed files from them there.`);
    }
    const permissions = Object.fromEntries(
      Object.entries(lists).flatMap(([behavior, rules]) => (rules.size === 0 ? [] : [[behavior, [...rules]]])),
    );
    return `${JSON.stringify({ permissions: { defaultMode: "default", ...permissions } }, null, 2)}\n`;
  },
};

const closesFiles = (effect: Effect): boolean =>
  !isBuiltIn(effect) && effect.behavior !== "allow" && effect.matter.kind === "path" && effect.matter.access === "read";

function rulesOf(effect: Effect, notes: Notes): string[] {
  const { rule, behavior, matter } = effect;
  if (behavior === "allow") {
    if (matter.kind === "command" && rule.startsWith("run(")) {
      notes("stricter", effect, "It applies to the shell only.");
      return [`Bash(${matter.pattern})`];
    }
    if (/^(?:connect|call|read|write|delete|send)\(/.test(rule)) {
      notes("stricter", effect, "Left out, so it asks: an effect of every tool cannot be allowed there.");
      return [];
    }
    notes("same", effect, "Copied.");
    return [rule];
  }
  switch (matter.kind) {
    case "command":
      if (!isBuiltIn(effect))
        notes("stricter", effect, "It also matches commands that only contain these words in this order.");
      return [`Bash(${matter.pattern})`, ...commandPatterns(effect).map((pattern) => `Bash(${pattern})`)];
    case "path":
      return pathRules(effect, matter, notes);
    case "host": {
      const host = matter.host.replace(/^\*+\.?/, "").replace(/:.*$/, "");
      notes("stricter", effect, "It also covers every command that names the host.");
      return [`WebFetch(domain:${matter.host.replace(/:\d+$/, "")})`, host === "" ? "Bash" : `Bash(*${host}*)`];
    }
    case "mcp":
      notes("same", effect, "Copied.");
      return [matter.tool === "*" ? `mcp__${matter.server}` : `mcp__${matter.server}__${matter.tool}`];
    case "other":
      if (!rule.startsWith("send(")) return [rule];
      notes("weaker", effect, "Left out: no tool of Claude Code sends messages. Tools of MCP servers may.");
      return [];
    default:
      notes("same", effect, "Copied.");
      return [rule];
  }
}

function pathRules(effect: Effect, matter: { access: "read" | "write"; path: string }, notes: Notes): string[] {
  const own = `${matter.access === "read" ? "Read" : "Edit"}(${matter.path})`;
  const mention = mentionOf(matter.path);
  if (isBuiltIn(effect)) return [own, `Bash(*${mention}*)`];
  if (mention === undefined) {
    notes(
      "stricter",
      effect,
      "It also covers every command: the pattern has no name that commands could be searched for.",
    );
    return [own, "Bash"];
  }
  notes("stricter", effect, `It also covers every command that contains "${mention}".`);
  return [own, `Bash(*${mention}*)`];
}
