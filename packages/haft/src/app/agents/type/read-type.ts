import { modeNamed, type ToolNames } from "@haft/core/policy";
import { AGENT_COLORS, AGENT_ISOLATIONS } from "@haft/core/tool";
import { readPage } from "@haft/plugins";
import { EFFORTS } from "../../../agent/index.ts";
import { AGENT_MEMORIES, type AgentDefinition } from "./agent-type.ts";
import { hooksOf, serversOf, switchOf, toolList, wordList } from "./read-fields.ts";

/** A definition, or the reason why the file has none. `notes` list the parts that are ignored. */
export type ReadType =
  | { readonly type: AgentDefinition; readonly notes: readonly string[] }
  | { readonly problem: string };

/** Fields of other programs that have no effect here. */
const IDLE = ["temperature", "top_p", "permission", "permissions"];

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
  const { description, initialPrompt } = head;
  if (typeof name !== "string" || !/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(name))
    return { problem: "its name must be letters, digits, dots and dashes, at most 64" };
  if (typeof description !== "string" || description.trim() === "") return { problem: "it has no description" };
  if (body === "") return { problem: "it has no prompt after its frontmatter" };
  const tools = toolList(head.tools, names);
  const without = toolList(head.disallowedTools, names);
  if (tools === undefined || without === undefined)
    return { problem: "tools and disallowedTools are lists of names; only Agent(type) may have a specifier" };
  const mode = typeof head.permissionMode === "string" ? modeNamed(head.permissionMode) : undefined;
  const read = [numbersIn(head), listsIn(head), wordsIn(head), hooksOf(head.hooks)] as const;
  const bad = read.find((one) => "problem" in one);
  if (bad && "problem" in bad) return bad;
  const [numbers, lists, words, hooks] = read as Sound<typeof read>;
  const background = switchOf(head.background ?? false);
  const servers = serversOf(head.mcpServers);
  if (background === undefined) return { problem: "background is yes or no" };
  return {
    type: {
      ...{ name, description: description.trim(), prompt: body, file },
      ...(tools.names ? { tools: tools.names } : {}),
      ...(tools.agents ? { agents: tools.agents } : {}),
      ...(without.names ? { disallowedTools: without.names } : {}),
      ...(typeof head.model === "string" ? { model: head.model } : {}),
      ...(mode ? { mode } : {}),
      ...{ ...numbers, ...lists, ...words.fields, ...hooks.fields, ...servers.fields },
      ...(typeof initialPrompt === "string" && initialPrompt.trim() ? { initialPrompt: initialPrompt.trim() } : {}),
      ...(background ? { background } : {}),
    },
    notes: [
      ...words.notes,
      ...hooks.notes,
      ...IDLE.flatMap((key) => (head[key] === undefined ? [] : [`${key} has no effect`])),
      // Every agent here is what opencode calls a subagent.
      ...(head.mode === undefined || head.mode === "subagent" || head.mode === "all" ? [] : ["mode has no effect"]),
      ...servers.notes,
      ...(head.permissionMode !== undefined && !mode ? [`there is no mode "${String(head.permissionMode)}"`] : []),
    ],
  };
}

interface Problem {
  readonly problem: string;
}
type Sound<T extends readonly unknown[]> = { readonly [K in keyof T]: Exclude<T[K], Problem> };
type Head = Readonly<Record<string, unknown>>;

function numbersIn({
  tokens,
  calls,
  spawns,
  money,
  maxTurns,
}: Head): Pick<AgentDefinition, "budget" | "maxTurns"> | Problem {
  const given = Object.entries({ tokens, calls, spawns, money, maxTurns }).filter(([, value]) => value !== undefined);
  const bad = given.find(([, value]) => !(typeof value === "number" && value >= 0));
  if (bad) return { problem: `${bad[0]} must be a number from 0` };
  const { maxTurns: turns, ...budget } = Object.fromEntries(given) as Readonly<Record<string, number>>;
  return { budget, ...(turns === undefined ? {} : { maxTurns: turns }) };
}

function listsIn(head: Head): Pick<AgentDefinition, "effects" | "skills"> | Problem {
  const effects = wordList(head.effects);
  if (head.effects !== undefined && !effects) return { problem: "effects must be a list of rules" };
  const skills = wordList(head.skills);
  if (head.skills !== undefined && !skills) return { problem: "skills must be a list of names" };
  return { ...(effects ? { effects } : {}), ...(skills ? { skills } : {}) };
}

/** Fields that have one word of a list. A wrong word for one that only shows or tunes something is ignored. */
const WORDS = {
  isolation: { known: AGENT_ISOLATIONS, isStrict: true },
  memory: { known: AGENT_MEMORIES, isStrict: true },
  effort: { known: EFFORTS, isStrict: false },
  color: { known: AGENT_COLORS, isStrict: false },
} as const;

type Words = { readonly [K in keyof typeof WORDS]?: (typeof WORDS)[K]["known"][number] };

function wordsIn(head: Head): { readonly fields: Words; readonly notes: readonly string[] } | Problem {
  const fields: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const [key, { known, isStrict }] of Object.entries(WORDS)) {
    const value = head[key];
    if (value === undefined || value === null) continue;
    if ((known as readonly unknown[]).includes(value)) fields[key] = value;
    else if (isStrict) return { problem: `${key} must be one of ${known.join(", ")}` };
    else notes.push(`${key} has no effect: it must be one of ${known.join(", ")}`);
  }
  return { fields: fields as Words, notes };
}
