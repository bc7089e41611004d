import { nearest } from "@haft/core/schema";
import { EFFORTS, type Effort } from "../agent/index.ts";

/** The options of print mode, by the names that hosts of the Claude Agent SDK give. */
export interface PrintFlags {
  readonly prompt: string;
  readonly output: "text" | "json" | "stream-json";
  readonly input: "text" | "stream-json";
  readonly isPartial: boolean;
  readonly replaysUsers: boolean;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly mode?: string;
  readonly resume?: string;
  readonly fork: boolean;
  readonly session?: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** The only built-in tools. `undefined`: all of them. */
  readonly tools?: readonly string[];
  /** Most costs of the session. */
  readonly money?: number;
  readonly directories: readonly string[];
  readonly mcpConfigs: readonly string[];
  readonly settings?: string;
  /** `undefined`: all of them. */
  readonly sources?: readonly string[];
  /** The kind of agent that the session runs as. */
  readonly agent?: string;
  readonly effort?: Effort;
  readonly system?: string;
  readonly append?: string;
  /** Options that are known and have no effect here. */
  readonly ignored: readonly string[];
  /** Questions go to the host over the stream. */
  readonly asksHost: boolean;
}

/** A mistake in the options, with its cure. */
export class FlagError extends Error {
  override name = "FlagError";
  readonly cure: string;

  constructor(message: string, cure: string) {
    super(message);
    this.cure = cure;
  }
}

const SWITCHES = new Set([
  ...["--print", "--verbose", "--include-partial-messages", "--replay-user-messages", "--continue", "--fork-session"],
  ...["--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--strict-mcp-config"],
  ...["--no-session-persistence", "--trust", "--include-hook-events", "--bare", "--debug-to-stderr"],
  "--await-initialize",
]);
const VALUES = new Set([
  ...["--output-format", "--input-format", "--model", "--max-turns", "--permission-mode", "--resume", "--session-id"],
  ...["--allowedTools", "--disallowedTools", "--add-dir", "--mcp-config", "--settings", "--setting-sources"],
  ...["--system-prompt", "--append-system-prompt", "--permission-prompt-tool", "--fallback-model", "--effort"],
  ...["--thinking", "--max-thinking-tokens", "--betas", "--tools", "--agents", "--agent", "--json-schema", "--cwd"],
  ...["--max-budget-usd", "--plugin-dir", "--debug", "--debug-file", "--task-budget", "--resume-session-at"],
]);
const SHORT: Readonly<Record<string, string>> = { "-p": "--print", "-c": "--continue", "-r": "--resume" };
const ALIASES: Readonly<Record<string, string>> = {
  "--allowed-tools": "--allowedTools",
  "--disallowed-tools": "--disallowedTools",
};
const WITHOUT_EFFECT = new Set([
  ...["--fallback-model", "--thinking", "--max-thinking-tokens", "--betas", "--agents"],
  ...["--json-schema", "--plugin-dir", "--task-budget", "--resume-session-at"],
]);

/** Reads the options. @throws FlagError for an unknown one or a wrong value. */
export function readFlags(args: readonly string[]): PrintFlags {
  const { values, words, switches } = taken(args);
  const last = (flag: string): string | undefined => values.get(flag)?.at(-1);
  const list = (flag: string): string[] => (values.get(flag) ?? []).flatMap(listOf);
  const output = oneOf("--output-format", last("--output-format") ?? "text", ["text", "json", "stream-json"] as const);
  const input = oneOf("--input-format", last("--input-format") ?? "text", ["text", "stream-json"] as const);
  if (input === "stream-json" && output !== "stream-json")
    throw new FlagError("--input-format stream-json needs --output-format stream-json.", "Add it.");
  const turns = last("--max-turns");
  if (turns !== undefined && !/^[1-9]\d*$/.test(turns))
    throw new FlagError(`--max-turns ${turns} is not a number of turns.`, "Use a whole number from 1.");
  const money = last("--max-budget-usd");
  if (money !== undefined && !(Number(money) >= 0))
    throw new FlagError(`--max-budget-usd ${money} is not an amount.`, "Use a number from 0.");
  const tools = last("--tools");
  const sources = last("--setting-sources");
  const effort = last("--effort");
  const prompter = last("--permission-prompt-tool");
  if (prompter !== undefined && prompter !== "stdio")
    throw new FlagError(`--permission-prompt-tool ${prompter} is not supported.`, "Use stdio.");
  const optional = {
    model: last("--model"),
    mode: switches.has("--dangerously-skip-permissions") ? "bypassPermissions" : last("--permission-mode"),
    resume: last("--resume") ?? (switches.has("--continue") ? "last" : undefined),
    session: last("--session-id"),
    settings: last("--settings"),
    system: last("--system-prompt"),
    append: last("--append-system-prompt"),
    agent: last("--agent"),
  };
  return {
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional as {
      [K in keyof typeof optional]: string;
    }),
    ...(effort === undefined ? {} : { effort: oneOf("--effort", effort, EFFORTS) }),
    ...{ output, input, prompt: words.join(" "), fork: switches.has("--fork-session") },
    ...(turns === undefined ? {} : { maxTurns: Number(turns) }),
    ...(sources === undefined ? {} : { sources: listOf(sources) }),
    ...(tools === undefined || tools === "default" ? {} : { tools: list("--tools") }),
    ...(money === undefined ? {} : { money: Number(money) }),
    ...{ allow: list("--allowedTools"), deny: list("--disallowedTools") },
    ...{ directories: values.get("--add-dir") ?? [], mcpConfigs: values.get("--mcp-config") ?? [] },
    isPartial: switches.has("--include-partial-messages"),
    replaysUsers: switches.has("--replay-user-messages"),
    asksHost: prompter === "stdio",
    ignored: [...values.keys()].filter((flag) => WITHOUT_EFFECT.has(flag)),
  };
}

/** Rules are separated by commas or blanks, but not inside parentheses. */
const listOf = (text: string): string[] => text.match(/(?:[^\s,(]+(?:\([^)]*\))?|\([^)]*\))+/g) ?? [];

function oneOf<T extends string>(flag: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new FlagError(`Unknown value for ${flag}: ${value}.`, `Use ${known.join(", ")}.`);
}

function taken(args: readonly string[]) {
  const values = new Map<string, string[]>();
  const switches = new Set<string>();
  const words: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const written = args[index]!;
    if (written === "--") {
      words.push(...args.slice(index + 1));
      break;
    }
    if (!written.startsWith("-") || written === "-") {
      words.push(written);
      continue;
    }
    const [, first = "", inline] = /^(-[^=]*)(?:=(.*))?$/s.exec(written) ?? [];
    const flag = SHORT[first] ?? ALIASES[first] ?? first;
    if (SWITCHES.has(flag)) switches.add(flag);
    else if (VALUES.has(flag)) {
      const value = inline ?? args[++index];
      if (value === undefined) throw new FlagError(`${written} needs a value.`, `Write ${flag} VALUE.`);
      values.set(flag, [...(values.get(flag) ?? []), value]);
    } else {
      const close = nearest(flag, [...SWITCHES, ...VALUES]);
      throw new FlagError(`Unknown option ${written}.`, close ? `Did you mean ${close}?` : "See docs/print-mode.md.");
    }
  }
  return { values, words, switches };
}
