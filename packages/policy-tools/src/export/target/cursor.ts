import { isBuiltIn } from "../baseline.ts";
import { commandPatterns, mentionOf } from "../commands.ts";
import type { Notes, Target } from "../exported.ts";
import type { Effect } from "../wanted.ts";

/** Cursor's command line: lists for allow and deny; the rest asks. A deny beats an allow. */
export const cursor: Target = {
  file: ".cursor/cli.json",
  // A pattern for arguments may cover a whole script, so only exact commands are allowed.
  commands: "exact",
  write(effects, notes) {
    const allow = new Set<string>();
    const deny = new Set<string>();
    for (const effect of effects) {
      if (effect.behavior === "allow") for (const token of allowed(effect, notes)) allow.add(token);
      else if (effect.behavior === "deny") for (const token of denied(effect, notes)) deny.add(token);
      else for (const token of asked(effect, notes)) deny.add(token);
    }
    return `${JSON.stringify({ permissions: { allow: [...allow], deny: [...deny] } }, null, 2)}\n`;
  },
};

function allowed(effect: Effect, notes: Notes): string[] {
  const { matter } = effect;
  if (matter.kind === "command") {
    const [, program, rest = ""] = /^(\S+)(?: (.*))?$/.exec(matter.pattern) ?? [];
    if (program !== undefined && rest !== "" && !/[*?[\](){}:]/.test(matter.pattern)) {
      notes("same", effect, "Exactly this command.");
      return [`Shell(${program}:${rest})`];
    }
  }
  if (matter.kind === "mcp") {
    notes("same", effect, "Copied.");
    return [`Mcp(${matter.server}:${matter.tool})`];
  }
  notes("stricter", effect, "Left out, so it asks: a pattern there could cover more than one command or file.");
  return [];
}

/** Cursor knows no ask. Commands, changes and fetches ask anyway where nothing allows them; reading does not. */
function asked(effect: Effect, notes: Notes): string[] {
  const { matter } = effect;
  if (matter.kind === "path" && matter.access === "read") {
    if (!isBuiltIn(effect)) notes("stricter", effect, "It is a deny there: reading does not ask.");
    return readTokens(matter.path);
  }
  if (matter.kind === "tool" && matter.name === "Read") {
    notes("stricter", effect, "It is a deny there: reading does not ask.");
    return ["Read(**)"];
  }
  if (!isBuiltIn(effect)) notes("same", effect, "Nothing to write: what no rule allows asks there.");
  return [];
}

function denied(effect: Effect, notes: Notes): string[] {
  const { matter } = effect;
  switch (matter.kind) {
    case "command": {
      if (!isBuiltIn(effect))
        notes("stricter", effect, "It also matches commands that only contain these words in this order.");
      const [program = "", ...rest] = matter.pattern.replace(/[ *]+$/, "").split(/\s+/);
      const own = [rest.length === 0 ? `Shell(${program})` : `Shell(${program}:${rest.join("*")}*)`];
      return [
        ...own,
        ...(isBuiltIn(effect) ? [`Shell(*:* ${matter.pattern})`] : commandPatterns(effect).map(anyShell)),
      ];
    }
    case "path": {
      const mention = mentionOf(matter.path) ?? "";
      notes("stricter", effect, `It also covers every command that contains "${mention}".`);
      const reads = matter.access === "read" ? readTokens(matter.path) : [];
      return [...reads, ...writeTokens(matter.path), anyShell(`*${mention}*`)];
    }
    case "host": {
      const host = matter.host.replace(/:.*$/, "");
      notes("stricter", effect, "It also covers every command that contains the host's name.");
      return [`WebFetch(${host})`, anyShell(`*${host.replace(/^\*+\.?/, "")}*`)];
    }
    case "mcp":
      notes("same", effect, "Copied.");
      return [`Mcp(${matter.server}:${matter.tool})`];
    case "tool": {
      const token = WHOLE[matter.name];
      if (token) notes("same", effect, `It is now ${token}.`);
      else notes("error", effect, "Cursor's lists have no such tool. Run haft hook install cursor.");
      return token ? [token] : [];
    }
    default:
      notes(
        "error",
        effect,
        "Cursor's lists cannot express it. Run haft hook install cursor, which decides each call.",
      );
      return [];
  }
}

const WHOLE: Readonly<Record<string, string>> = {
  Bash: "Shell(**)",
  Read: "Read(**)",
  Edit: "Write(**)",
  Write: "Write(**)",
  WebFetch: "WebFetch(*)",
  "mcp__*": "Mcp(*:*)",
};

const anyShell = (pattern: string): string => `Shell(*:${pattern})`;

const anywhere = (path: string): string => {
  const plain = path.replace(/^\.?\/(?!\/)/, "").replace(/^\/\//, "/");
  return /^[~/]/.test(plain) || /^\/?[^*]/.test(path.slice(0, 2)) === false ? plain : `**/${plain}`;
};
const readTokens = (path: string): string[] => [`Read(${anywhere(path)})`];
const writeTokens = (path: string): string[] => [`Write(${anywhere(path)})`];
