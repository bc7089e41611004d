import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { ToolNames } from "@haft/core/policy";
import { type AgentDefinition, BUILTIN_AGENTS } from "./agent-type.ts";
import { readAgentType } from "./read-type.ts";

/** Folders with agent definitions, the weakest first. */
const FOLDERS: readonly string[] = [".opencode/agents", ".agents/agents", ".claude/agents", ".haft/agents"];
const USER_FOLDERS: readonly string[] = [
  ".config/opencode/agents",
  ".agents/agents",
  ".claude/agents",
  ".config/haft/agents",
];

/** Most bytes of a definition, and most definitions in a folder. */
const MOST_BYTES = 256 * 1024;
const MOST_FILES = 500;

export interface TypePlaces {
  readonly home: string;
  /** Absent: the project's own definitions do not count. */
  readonly root?: string | undefined;
  /** Folders of plugins, weaker than all others. */
  readonly more?: readonly string[];
  readonly names: ToolNames;
  /** Receives problems with files that define no agent, or only part of one. */
  readonly onProblem: (message: string) => void;
}

/** All kinds of agents, by name. The project's override the user's, which override the built-in ones. */
export function loadAgentTypes({
  home,
  root,
  more = [],
  names,
  onProblem,
}: TypePlaces): ReadonlyMap<string, AgentDefinition> {
  const inHome = home === "" ? [] : USER_FOLDERS.map((folder) => join(home, folder));
  const inProject = root === undefined || root === home ? [] : FOLDERS.map((folder) => join(root, folder));
  const types = new Map(BUILTIN_AGENTS.map((type) => [type.name, type]));
  const ofPlugins = more.flatMap(pagesIn);
  const ofProject = inProject.flatMap(pagesIn);
  for (const file of [...ofPlugins, ...inHome.flatMap(pagesIn), ...ofProject]) {
    const text = textOf(file);
    const read =
      text === undefined ? { problem: "it cannot be read" } : readAgentType(text, file, basename(file, ".md"), names);
    if ("problem" in read) {
      onProblem(`${file} defines no agent: ${read.problem}.`);
      continue;
    }
    // A person agrees to the programs of a plugin when it is installed, and agent files are not among them.
    const { hooks, servers, ...type } = read.type;
    const programs = { ...(hooks ? { hooks } : {}), ...(servers ? { servers } : {}) };
    const isPlugins = ofPlugins.includes(file);
    const idle = isPlugins ? Object.keys(programs).map((name) => (name === "servers" ? "mcpServers" : name)) : [];
    const notes = [...read.notes, ...idle.map((name) => `${name} have no effect in a plugin's agent`)];
    if (notes.length > 0) onProblem(`${file}: ${notes.join(", ")}.`);
    const isProjects = ofProject.includes(file);
    types.set(type.name, { ...type, ...(isPlugins ? {} : programs), ...(isProjects ? { isProjects } : {}) });
  }
  return types;
}

function pagesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .sort()
      .slice(0, MOST_FILES)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function textOf(file: string): string | undefined {
  try {
    const stat = statSync(file);
    return stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
