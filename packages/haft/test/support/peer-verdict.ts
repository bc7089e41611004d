import { fitsStarred } from "@haft/core/policy";
import { parse } from "smol-toml";

type Answer = "allow" | "ask" | "deny";
const RANK = { allow: 0, ask: 1, deny: 2 } as const;
const strictest = (answers: readonly Answer[]): Answer =>
  answers.reduce((a, b) => (RANK[b] > RANK[a] ? b : a), "allow");
const hits = (pattern: string, text: string): boolean =>
  fitsStarred(pattern, text, "*", (wanted, given) => wanted === given) ||
  (pattern.endsWith(" *") && fitsStarred(pattern.slice(0, -2), text, "*", (wanted, given) => wanted === given));

/** The commands of a script as a simple reader of shells splits them: the parts, and what substitutions hold. */
function partsOf(script: string): string[] {
  const inner = [...script.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, a, b]) => a ?? b ?? "");
  const outer = script.split(/&&|\|\||[;|\n]|(?<![<>&0-9])&(?!>)/).map((part) => part.trim());
  return [...outer, ...inner.flatMap(partsOf)].filter((part) => part !== "");
}

const CLAUDE_READS =
  /^(?:ls|cat|echo|pwd|head|tail|grep|find|wc|which|diff|stat|du|cd|git (?:status|log|diff|show|branch))(?: |$)/;

/** Claude Code, as documented: deny, ask and allow in this order; every part needs an allow; some readers run unasked. */
function claudeSays(text: string, script: string): Answer {
  const {
    allow = [],
    ask = [],
    deny = [],
  } = (JSON.parse(text) as { permissions: Record<string, string[]> }).permissions;
  const commands = (list: readonly string[]) =>
    list.flatMap((rule) => /^Bash\((.*)\)$/s.exec(rule)?.[1] ?? (rule === "Bash" ? "*" : []));
  const means = (list: readonly string[], part: string) => commands(list).some((pattern) => hits(pattern, part));
  const bare = (part: string) => part.replace(/^(?:(?:NODE_ENV=\S+|timeout \S+|nice|nohup|time) )+/, "");
  const whole = [script, ...partsOf(script)];
  if (whole.some((part) => means(deny, part) || means(deny, bare(part)))) return "deny";
  if (whole.some((part) => means(ask, part) || means(ask, bare(part)))) return "ask";
  return partsOf(script).every((part) => {
    const [command = "", ...targets] = part.split(/\s*\d?>{1,2}\s*/);
    return (
      (means(allow, bare(command)) || isClaudeReader(bare(command))) &&
      targets.every((one) => /^(?:\/dev\/null|&\d)$/.test(one))
    );
  })
    ? "allow"
    : "ask";
}

const isClaudeReader = (part: string): boolean =>
  CLAUDE_READS.test(part) && !/ -exec| -delete|\.\.|[~]|(?:^| )\//.test(part);

/** opencode: the last line that matches decides, for each command of the script. */
function opencodeSays(lines: readonly (readonly [string, string, Answer])[], script: string): Answer {
  return strictest(
    partsOf(script).map(
      (part) => lines.findLast(([key, pattern]) => hits(key, "bash") && hits(pattern, part))?.[2] ?? "ask",
    ),
  );
}

function opencodeLines(text: string): (readonly [string, string, Answer])[] {
  const { permission = {}, permissions } = JSON.parse(text) as {
    permission?: Record<string, Answer | Record<string, Answer>>;
    permissions?: { action: string; resource: string; effect: Answer }[];
  };
  if (permissions)
    return permissions.map(({ action, resource, effect }) => [action === "shell" ? "bash" : action, resource, effect]);
  return Object.entries(permission).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[key, "*", value] as const]
      : Object.entries(value).map(([one, answer]) => [key, one, answer] as const),
  );
}

/** Gemini CLI: the matching rule with the highest priority decides; the script and each of its commands are judged. */
function geminiSays(text: string, script: string): Answer {
  const rules = (parse(text) as unknown as { rule: Record<string, string | number>[] }).rule;
  const one = (command: string): Answer => {
    const json = JSON.stringify({ command });
    const found = rules
      .filter(({ toolName }) => [toolName].flat().some((name) => name === "run_shell_command" || name === "*"))
      .filter(({ commandPrefix, commandRegex }) => {
        if (commandPrefix !== undefined) return new RegExp(`"command":"${commandPrefix}(?:[\\s"]|\\\\")`).test(json);
        return commandRegex === undefined || new RegExp(`"command":"${commandRegex}`).test(json);
      })
      .toSorted((a, b) => Number(b.priority) - Number(a.priority))[0];
    const answer = ({ allow: "allow", deny: "deny", ask_user: "ask" } as const)[
      String(found?.decision ?? "ask_user") as "allow"
    ];
    return answer === "allow" && /[<>]/.test(command) ? "ask" : answer;
  };
  return strictest([script, ...partsOf(script)].map(one).filter((answer, index) => index > 0 || answer !== "ask"));
}

const CODEX_SAFE =
  /^(?:cat|cd|cut|echo|expr|false|grep|head|id|ls|nl|paste|pwd|rev|seq|stat|tail|tr|true|uname|uniq|wc|which|whoami|find|rg|sed -n|git (?:status|log|diff|show|branch))(?: |$)/;

/** Codex: the strictest prefix that any plain command of the script begins with. Other scripts are one command to it. */
function codexSays(text: string, script: string): Answer {
  const rules = [...text.matchAll(/^prefix_rule\(pattern=(\[.*?\]), decision="(\w+)"/gm)].map(
    ([, words, decision]) =>
      [
        JSON.parse(words!) as string[],
        ({ allow: "allow", prompt: "ask", forbidden: "deny" } as const)[decision as "allow"],
      ] as const,
  );
  if (/[$`<>(){}&](?<!&&)|\\|=/.test(script.replaceAll("&&", ""))) return "ask";
  return strictest(
    script.split(/&&|\|\||[;|\n]/).map((part) => {
      const words = part
        .trim()
        .split(/\s+/)
        .map((word) => word.replaceAll(/["']/g, ""));
      const found = rules.filter(([prefix]) => prefix.every((word, index) => words[index] === word));
      if (found.length > 0) return strictest(found.map(([, answer]) => answer));
      return CODEX_SAFE.test(words.join(" ")) && !/ -exec| -delete/.test(part) ? "allow" : "ask";
    }),
  );
}

/** Cursor: the first token and the rest of the whole line, as its documentation has it. */
function cursorSays(text: string, script: string): Answer {
  const { allow, deny } = (JSON.parse(text) as { permissions: Record<"allow" | "deny", string[]> }).permissions;
  const [, program = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(script) ?? [];
  const means = (list: readonly string[]) =>
    list.some((token) => {
      const [, base, args] = /^Shell\(([^:]*)(?::(.*))?\)$/s.exec(token) ?? [];
      if (base === undefined || !hits(base, program)) return false;
      return args === undefined || hits(args, rest) || (base === "*" && hits(args, script));
    });
  return means(deny) ? "deny" : means(allow) ? "allow" : "ask";
}

/** Antigravity: deny, ask, allow; a target is the start of a command or an expression. */
function antigravitySays(text: string, script: string): Answer {
  const { allow, ask, deny } = (JSON.parse(text) as { permissions: Record<Answer, string[]> }).permissions;
  const means = (list: readonly string[]) =>
    list.some((rule) => {
      const target = /^command\((.*)\)$/s.exec(rule)?.[1];
      if (target?.startsWith("regex:")) return new RegExp(`^(?:${target.slice(6)})`).test(script);
      return target === "*" || (target !== undefined && (script === target || script.startsWith(`${target} `)));
    });
  return means(deny) ? "deny" : means(ask) ? "ask" : means(allow) ? "allow" : "ask";
}

/** The answer of an agent with these settings to a shell command, by its documentation. */
export function peerVerdict(target: string, text: string, script: string): Answer {
  switch (target) {
    case "claude":
      return claudeSays(text, script);
    case "codex":
      return codexSays(text, script);
    case "gemini":
      return geminiSays(text, script);
    case "cursor":
      return cursorSays(text, script);
    case "antigravity":
      return antigravitySays(text, script);
    default:
      return opencodeSays(opencodeLines(text), script);
  }
}
