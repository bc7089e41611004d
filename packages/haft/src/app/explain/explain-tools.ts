import { builtinToolNames } from "@haft/core/policy";
import type { Entry, Registry } from "@haft/core/registry";
import { toSchema } from "@haft/core/schema";
import { effects as does, type Effect, type EffectWord, fail, type Tool } from "@haft/core/tool";

/** Known facts about an MCP tool that is not connected: the hints of its server, which nobody vouches for. */
export interface McpMeta {
  readonly readOnlyHint?: boolean;
  /** The server demands that a person be asked before each call. */
  readonly needsPerson?: boolean;
}

type Input = Readonly<Record<string, unknown>>;
type Sketch = readonly [can: EffectWord, effects: (input: Input) => readonly Effect[]];

/**
 * Tools that this build lacks but whose effects follow from their input, so that rules about them can be tried. They can be
 * explained but never run.
 */
const sketches: Readonly<Record<string, Sketch>> = {
  ToolSearch: ["state", () => [does.state("tools", { change: false })]],
  AskUserQuestion: ["ask", () => [does.ask()]],
  EnterPlanMode: ["state", () => [does.state("plan")]],
  ExitPlanMode: ["ask", () => [does.ask()]],
  TaskCreate: ["state", () => [does.state("tasks")]],
  TaskUpdate: ["state", () => [does.state("tasks")]],
  TaskGet: ["state", () => [does.state("tasks", { change: false })]],
  TaskList: ["state", () => [does.state("tasks", { change: false })]],
  TaskOutput: ["state", () => [does.state("tasks", { change: false })]],
  Memory: ["state", () => [does.state("memory")]],
  cron: ["state", () => [does.state("cron")]],
  message: ["send", (input) => [does.send(firstText(input, ["channel"], "message"), optional(input, "to"))]],
};

/** Tools whose rules concern only a part of the input, so they can be tried without the rest, or without the skill. */
const partial: Readonly<Record<string, Sketch>> = {
  // Its grants are not known here, so it asks.
  Skill: ["state", () => [does.state("unread skill")]],
  Agent: ["delegate", (input) => [does.delegate(firstText(input, ["subagent_type"], "general"))]],
};

/** Older shapes of a tool's input, by the tool name used with them. */
const oldShapes: Readonly<Record<string, readonly [name: string, Sketch]>> = {
  MultiEdit: ["Edit", ["write", (input) => [does.write(text(input, "file_path"), "modify")]]],
};

/** A registry that also resolves the sketched tools, foreign names, and any tool of any MCP server by its name. */
export function withSketches(registry: Registry, meta: McpMeta = {}): Registry {
  const get = (name: string): Entry | undefined => {
    if (Object.hasOwn(oldShapes, name)) return builtin(...oldShapes[name]!);
    const canonical = builtinToolNames.canonical(name) ?? name;
    if (Object.hasOwn(partial, canonical)) return builtin(canonical, partial[canonical]!);
    const known = registry.get(name) ?? registry.get(canonical);
    if (known) return known;
    if (Object.hasOwn(sketches, canonical)) return builtin(canonical, sketches[canonical]!);
    return remoteTool(name, meta);
  };
  return { ...registry, get, suggest: (name) => registry.suggest(name) ?? anotherName(name) };
}

const anotherName = (name: string): string | undefined => {
  const near = builtinToolNames.nearest(name);
  return near === name ? undefined : near;
};

const anyObject = toSchema<Input>({ type: "object" }, "a tool that is only explained");

function sketchedTool(name: string, can: readonly EffectWord[], effects: Sketch[1]): Tool {
  return {
    name,
    description: "",
    input: anyObject,
    can,
    effects: (input) => effects(input as Input),
    run: () => fail("tool_unavailable", `${name} can only be explained.`),
  };
}

const builtin = (name: string, [can, effects]: Sketch): Entry => ({
  tool: sketchedTool(name, [can], effects),
  source: { origin: "builtin", name: "haft" },
});

/** `mcp__server__tool`: a call to a server with unverified hints. */
function remoteTool(name: string, { readOnlyHint, needsPerson }: McpMeta): Entry | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  const effects = () => [
    does.call(server, tool, { change: readOnlyHint !== true }),
    ...(needsPerson ? [does.ask()] : []),
  ];
  return { tool: sketchedTool(name, ["call", "ask"], effects), source: { origin: "mcp", name: server } };
}

/** A field that determines the effects. Throws if it is absent, which makes the effects unknown. */
function text(input: Input, field: string): string {
  const value = input[field];
  return typeof value === "string" && value !== "" ? value : fail("invalid_input", `"${field}" must be a text.`);
}

const optional = (input: Input, field: string): string | undefined => {
  const value = input[field];
  return typeof value === "string" ? value : undefined;
};

function firstText(input: Input, fields: readonly string[], otherwise?: string): string {
  const found = fields.map((field) => optional(input, field)).find((value) => value !== undefined);
  return found ?? otherwise ?? fail("invalid_input", `"${fields[0]}" must be a text.`);
}
