import { modeNamed, type ToolNames } from "@haft/core/policy";
import { AGENT_ISOLATIONS, type AgentIsolation } from "@haft/core/tool";
import { readPage } from "@haft/plugins";
import type { AgentDefinition } from "./agent-type.ts";

/** A definition, or the reason why the file has none. `notes` list the parts that are ignored. */
export type ReadType =
  | { readonly type: AgentDefinition; readonly notes: readonly string[] }
  | { readonly problem: string };

/** Fields of other programs that have no effect here. */
const IDLE = [
  "color",
  "effort",
  "memory",
  "hooks",
  "initialPrompt",
  "temperature",
  "mode",
  "top_p",
  "permission",
  "permissions",
];

/**
 * Reads an agent from a Markdown file in the format of `.claude/agents`: frontmatter with `name` and `description`, then
 * the prompt. Fields that would widen an agent are ignored. Frontmatter that cannot be read defines no agent.
 */
export function readAgentType(text: string, file: string, fallback: string, names: ToolNames): ReadType {
  let page: ReturnType<typeof readPage>;
  try {
    page = readPage(text);
  } catch (thrown) {
    return { problem: thrown instanceof Error ? (thrown.message.split("\n")[0] ?? "") : String(thrown) };
  }
  const { head, body } = page;
  const name = head.name ?? fallback;
  const { description } = head;
  if (typeof name !== "string" || !/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(name))
    return { problem: "its name must be letters, digits, dots and dashes, at most 64" };
  if (typeof description !== "string" || description.trim() === "") return { problem: "it has no description" };
  if (body === "") return { problem: "it has no prompt below its head" };
  const tools = toolList(head.tools, names);
  const without = toolList(head.disallowedTools, names);
  if (tools === undefined || without === undefined)
    return { problem: "tools and disallowedTools are lists of names, without specifiers but for Agent(type)" };
  const mode = typeof head.permissionMode === "string" ? modeNamed(head.permissionMode) : undefined;
  const numbers = {
    tokens: head.tokens,
    calls: head.calls,
    spawns: head.spawns,
    money: head.money,
    maxTurns: head.maxTurns,
  };
  const bad = Object.entries(numbers).find(
    ([, value]) => value !== undefined && !(typeof value === "number" && value >= 0),
  );
  if (bad) return { problem: `${bad[0]} must be a number from 0` };
  const effects = wordList(head.effects);
  if (head.effects !== undefined && !effects) return { problem: "effects is a list of rules" };
  const skills = wordList(head.skills);
  if (head.skills !== undefined && !skills) return { problem: "skills is a list of names" };
  const { isolation } = head;
  if (isolation !== undefined && !AGENT_ISOLATIONS.includes(isolation as AgentIsolation))
    return { problem: `isolation must be one of ${AGENT_ISOLATIONS.join(", ")}` };
  const { maxTurns, ...budget } = Object.fromEntries(
    Object.entries(numbers).filter(([, value]) => value !== undefined),
  ) as Record<string, number>;
  return {
    type: {
      ...{ name, description: description.trim(), prompt: body, file, budget },
      ...(tools.names ? { tools: tools.names } : {}),
      ...(tools.agents ? { agents: tools.agents } : {}),
      ...(without.names ? { disallowedTools: without.names } : {}),
      ...(typeof head.model === "string" ? { model: head.model } : {}),
      ...(mode ? { mode } : {}),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(effects ? { effects } : {}),
      ...(skills ? { skills } : {}),
      ...(isolation === undefined ? {} : { isolation: isolation as AgentIsolation }),
      ...(isYes(head.background) ? { background: true } : {}),
    },
    notes: [
      ...IDLE.flatMap((key) => (head[key] === undefined ? [] : [`${key} has no effect`])),
      ...(namesOnly(head.mcpServers) ? [] : ["mcpServers may only name servers: define them in the settings"]),
      ...(head.permissionMode !== undefined && !mode ? [`there is no mode "${String(head.permissionMode)}"`] : []),
    ],
  };
}

interface ToolList {
  readonly names?: readonly string[];
  readonly agents?: readonly string[];
}

/** A list, or names separated by commas. opencode writes a map of names to true and false. `undefined`: it cannot be read. */
function toolList(value: unknown, names: ToolNames): ToolList | undefined {
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
function wordList(value: unknown): readonly string[] | undefined {
  const list = typeof value === "string" ? value.split(/,(?![^(]*\))/) : value;
  if (!Array.isArray(list) || !list.every((word) => typeof word === "string")) return undefined;
  return (list as string[]).map((word) => word.trim()).filter(Boolean);
}

/** An agent has the servers of its parent, so their names alone need nothing. */
const namesOnly = (servers: unknown): boolean =>
  servers === undefined || (Array.isArray(servers) && servers.every((server) => typeof server === "string"));

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isYes = (value: unknown): boolean => value === true || value === 1 || /^(yes|on|true)$/i.test(String(value));
