import type { HookEventName, HooksSettings, McpServerSettings, ToolNames } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { serverIn } from "../../settings/mcp-json.ts";

/** The tools of a definition, and the kinds of agents that it may start. */
export interface ToolList {
  readonly names?: readonly string[];
  readonly agents?: readonly string[];
}

/** A list, or names separated by commas. opencode writes a map of names to true and false. `undefined`: it cannot be read. */
export function toolList(value: unknown, names: ToolNames): ToolList | undefined {
  if (value === undefined || value === null) return {};
  const words = wordList(isRecord(value) ? Object.entries(value).flatMap(([name, on]) => (on ? [name] : [])) : value);
  if (!words || words.includes("*")) return words ? {} : undefined;
  const found: string[] = [];
  let agents: readonly string[] | undefined;
  for (const word of words) {
    const match = /^([^()]+)(?:\((.*)\))?$/.exec(word);
    const name = match?.[1] && (names.canonical(match[1]) ?? match[1]);
    if (!name) return undefined;
    const specifier = match?.[2];
    if (specifier !== undefined && name !== names.canonical("Task")) return undefined;
    if (specifier !== undefined) agents = [...(agents ?? []), ...specifier.split(",").map((type) => type.trim())];
    found.push(name);
  }
  return { names: found, ...(agents ? { agents } : {}) };
}

/** Splits at commas, except inside parentheses. */
export function wordList(value: unknown): readonly string[] | undefined {
  const list = typeof value === "string" ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(list) || !list.every((word) => typeof word === "string")) return undefined;
  return (list as string[]).map((word) => word.trim()).filter(Boolean);
}

/** The servers that a definition brings. An agent has the servers of its parent, so names alone need nothing. */
export function serversOf(value: unknown): {
  readonly fields: { readonly servers?: Readonly<Record<string, McpServerSettings>> };
  readonly notes: readonly string[];
} {
  if (value === undefined || value === null) return { fields: {}, notes: [] };
  const items = (Array.isArray(value) ? value : [value]).filter((item) => typeof item !== "string");
  const named = items.flatMap((item): [string, unknown][] => (isRecord(item) ? Object.entries(item) : [["", item]]));
  const servers: Record<string, McpServerSettings> = {};
  const notes: string[] = [];
  for (const [name, entry] of named) {
    const server = serverIn(entry);
    if (server) servers[name] = server;
    else notes.push(`mcpServers: ${name || "an entry"} has no effect, as it has no valid command or url`);
  }
  return { fields: Object.keys(servers).length > 0 ? { servers } : {}, notes };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A switch in one of the spellings that YAML has known. `undefined`: it is none. */
export function switchOf(value: unknown): boolean | undefined {
  if (/^(?:yes|on|true|1)$/i.test(String(value))) return true;
  return /^(?:no|off|false|0)$/i.test(String(value)) ? false : undefined;
}

/** Events that happen to every agent, and those that only happen to the main one. */
const OF_AGENTS: readonly HookEventName[] = [
  ...(["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest"] as const),
  ...(["SubagentStart", "SubagentStop", "Stop", "TeammateIdle"] as const),
];
const OF_MAIN: readonly HookEventName[] = [
  ...(["SessionStart", "SessionEnd", "UserPromptSubmit", "UserPromptExpansion", "StopFailure"] as const),
  ...(["PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch"] as const),
];

/** The hooks of a definition. Hooks that cannot be read define no agent: they may be its guards. */
export function hooksOf(
  value: unknown,
):
  | { readonly fields: { readonly hooks?: HooksSettings }; readonly notes: readonly string[] }
  | { readonly problem: string } {
  if (value === undefined || value === null) return { fields: {}, notes: [] };
  const { settings, problems } = parseSettings({ hooks: value }, { origin: "project", file: "hooks" });
  const wrong = problems.find(({ severity }) => severity === "error");
  if (wrong) return { problem: `${wrong.path.join(".")}: ${wrong.message} ${wrong.cure}`.replace(/\.$/, "") };
  const { hooks = {} } = settings;
  const events = Object.keys(hooks).filter((key): key is HookEventName => key !== "onFailure");
  return {
    fields: { hooks },
    notes: events.flatMap((event) => {
      if (OF_AGENTS.includes(event)) return [];
      return OF_MAIN.includes(event)
        ? [`hooks.${event} runs only where a session runs as this agent`]
        : [`hooks.${event} has no effect: put it into the settings`];
    }),
  };
}
