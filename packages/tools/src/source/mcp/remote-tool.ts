import { toSchema } from "@haft/core/schema";
import { type Absent, ask, call, type Effect, type Tool, toJson } from "@haft/core/tool";
import { diffDisplay } from "../../builtin/support/diff.ts";
import { callRemote, type RemoteCall } from "./call/call-remote.ts";
import type { McpOutput } from "./call/content.ts";
import type { Definition } from "./definition/definition.ts";
import type { Pinned, Pins } from "./definition/pins.ts";
import { toolNameOf } from "./tool-name.ts";

/** What a remote tool is made of. */
export interface RemoteToolParts extends Omit<RemoteCall, "tool" | "inputSchema"> {
  readonly definition: Definition;
  readonly aliases: readonly string[];
  /** The user vouches for what this server says of its tools. */
  readonly isTrusted: boolean;
  readonly isAlwaysOffered: boolean;
  readonly pins: Pins;
  /** Whether the server can be called now or soon. */
  when(): true | Absent;
  /** A changed definition was confirmed: what is offered of the tool is different now. */
  onPinned(): void;
}

/** Where a tool comes from, as its server and it are really called. Names are never taken apart to find this out. */
export interface McpInfo {
  readonly serverName: string;
  readonly toolName: string;
}

/** A tool of an MCP server. A tool that is merely named like one has no `mcpInfo` and gets no rights from its name. */
export interface RemoteTool extends Tool<unknown, McpOutput> {
  readonly mcpInfo: McpInfo;
}

/**
 * A remote tool as an ordinary one. Its effects are claims of a stranger. While its definition is not the one that was
 * used here before, the model sees the one it was, and a person is asked before each call, whatever the rules allow.
 */
export function remoteTool(parts: RemoteToolParts): RemoteTool {
  const { server, definition, isTrusted, pins, aliases } = parts;
  const { name, hints } = definition;
  const pinned = pins.pinned(server, name);
  const isChanged = (): boolean => ["changed", "lost"].includes(pins.check(server, definition));
  const shown: Pinned = isChanged() && pinned && isUsable(pinned) ? pinned : definition;
  // A hint that loosens counts only for a server that the user vouches for; one that tightens always does.
  const change = !(isTrusted && hints.readOnly === true);
  const what = call(server, name, { change });
  const remote: RemoteCall = { ...parts, tool: name, inputSchema: definition.inputSchema };
  return {
    name: toolNameOf(server, name),
    mcpInfo: { serverName: server, toolName: name },
    title: `${shown.title ?? name} (${server})`,
    description: shown.description || `${name} of the MCP server ${server}.`,
    input: toSchema(shown.inputSchema, `${name} of the MCP server ${server}`),
    can: ["call", "ask"],
    ...(aliases.length > 0 ? { aliases } : {}),
    searchHint: `${server} ${name}`,
    ...(parts.isAlwaysOffered ? { offer: "always" } : {}),
    ...(change ? {} : { autoExecute: true }),
    ...(hints.destructive === true
      ? { override: { isDestructive: true, because: "its server says that it destroys something" } }
      : {}),
    when: parts.when,
    effects: (): readonly Effect[] => (isChanged() ? [what, { ...ask(), basis: "claimed" }] : [what]),
    preview: (input) => (isChanged() ? previewOfChange(parts, pinned) : { kind: "text", text: toJson(input) }),
    async run(input, ctx) {
      const wasChanged = isChanged();
      pins.confirm(server, definition);
      if (wasChanged) parts.onPinned();
      return callRemote(remote, input, ctx);
    },
    toModel: ({ content }) => content,
  };
}

/** What a person sees before a tool with another definition runs: what it was and what it is. */
async function previewOfChange({ server, definition }: RemoteToolParts, pinned: Pinned | undefined) {
  const path = `${definition.name} of the MCP server ${server}, as it was used here before and as it is now`;
  return diffDisplay(path, pinned ? definitionText(pinned) : "", definitionText(definition));
}

/** The record is a file that people can write to. */
function isUsable({ description, inputSchema }: Pinned): boolean {
  try {
    toSchema(inputSchema, "a pinned tool");
    return typeof description === "string";
  } catch {
    return false;
  }
}

const definitionText = ({ title, description, inputSchema }: Pinned): string =>
  `${title === undefined ? "" : `${title}\n`}${description}\n${toJson(inputSchema)}\n`;
