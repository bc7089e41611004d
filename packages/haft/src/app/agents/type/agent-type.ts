import type { HooksSettings, McpServerSettings, Mode } from "@haft/core/policy";
import type { AgentBudget, AgentIsolation, AgentType } from "@haft/core/tool";
import type { Effort } from "../../../agent/index.ts";

/** A kind of agent, defined by a file or by Haft. Every field only restricts what its parent may do. */
export interface AgentDefinition extends AgentType {
  /** The instructions for the agent. */
  readonly prompt: string;
  /** Its tools. Default: those of its parent. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** The kinds of agents that it may start. Default: all. */
  readonly agents?: readonly string[];
  /** `inherit`, an alias from the settings, or `provider/name`. */
  readonly model?: string;
  readonly mode?: Mode;
  readonly maxTurns?: number;
  readonly effects?: readonly string[];
  /** Skills whose texts it has from the start. */
  readonly skills?: readonly string[];
  readonly budget: AgentBudget;
  readonly background?: boolean;
  /** The folder in which it works. */
  readonly isolation?: AgentIsolation;
  /** It does not get the instruction files of the user and the project. */
  readonly withoutInstructions?: true;
  /** How much its model thinks. */
  readonly effort?: Effort;
  /** Hooks that run in it and in the agents that it starts. Their yes counts for nothing. */
  readonly hooks?: HooksSettings;
  /** Servers that start for it alone. */
  readonly servers?: Readonly<Record<string, McpServerSettings>>;
  /** The project's file defines it, so a person agrees before its servers start. */
  readonly isProjects?: true;
  /** The place of its own memory, which replaces that of the session. */
  readonly memory?: AgentMemory;
  /** Sent first when a session runs as this agent. */
  readonly initialPrompt?: string;
}

/** The places for the memory of an agent: for all projects, or for one. Haft keeps `project` and `local` in one place. */
export const AGENT_MEMORIES = ["user", "project", "local"] as const;

export type AgentMemory = (typeof AGENT_MEMORIES)[number];

const WRITERS = ["Write", "Edit", "NotebookEdit", "apply_patch", "TodoWrite"];

/** The built-in kinds of agents. */
export const BUILTIN_AGENTS: readonly AgentDefinition[] = [
  {
    name: "general",
    aliases: ["general-purpose"],
    description: "Any task with several steps. Has all your tools.",
    prompt: "You complete one task for another agent, from beginning to end.",
    budget: {},
  },
  {
    name: "explore",
    aliases: ["Explore"],
    description: "Finds and explains code. Cannot change anything.",
    prompt:
      "You look through files and history to answer a question. Search broadly first, then read closely. Name files with line numbers, and separate findings from conclusions.",
    mode: "plan",
    disallowedTools: WRITERS,
    withoutInstructions: true,
    budget: {},
  },
  {
    name: "plan",
    aliases: ["Plan"],
    description: "Reads the code and designs a change. Cannot change anything.",
    prompt:
      "You design a change. Look at the code, compare approaches, choose one, and give steps that another agent can carry out: which files, what changes in each, how to check it, what may go wrong.",
    mode: "plan",
    disallowedTools: WRITERS,
    withoutInstructions: true,
    budget: {},
  },
];
