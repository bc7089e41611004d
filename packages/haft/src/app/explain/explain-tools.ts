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

/** Tools whose rules concern only a part of the input, so they can be tried without the rest, or without the skill. */
const partial: Readonly<Record<string, Sketch>> = {
  // Its grants are not known here, so it asks.
  Skill: ["state", () => [does.state("unread skill")]],
  Agent: ["delegate", (input) => [does.delegate(text(input, "subagent_type") ?? "general")]],
};

/** Older shapes of a tool's input, by the tool name used with them. */
const oldShapes: Readonly<Record<string, readonly [name: string, Sketch]>> = {
  MultiEdit: ["Edit", ["write", (input) => [does.write(required(input, "file_path"), "modify")]]],
};

/** A registry that also resolves the sketched tools, foreign names, and any tool of any MCP server by its name. */
export function withSketches(registry: Registry, meta: McpMeta = {}): Registry {
  const get = (name: string): Entry | undefined => {
    if (Object.hasOwn(oldShapes, name)) return builtin(...oldShapes[name]!);
    const canonical = builtinToolNames.canonical(name) ?? name;
    if (Object.hasOwn(partial, canonical)) return builtin(canonical, partial[canonical]!);
    return registry.get(name) ?? registry.get(canonical) ?? remoteTool(name, meta);
  };
  return { ...registry, get, suggest: (name) => registry.suggest(name) ?? anotherName(name) };
}

const anotherName = (name: string): string | undefined => {
  const near = builtinToolNames.nearest(name);
  return near === name ? undefined : near;
};

const anyObject = toSchema<Input>({ type: "object" }, "this tool can only be explained");

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
const required = (input: Input, field: string): string =>
  text(input, field) || fail("invalid_input", `"${field}" must be a string.`);

const text = (input: Input, field: string): string | undefined => {
  const value = input[field];
  return typeof value === "string" ? value : undefined;
};
