import { toSchema } from "@haft/core/schema";
import { type Absent, type AgentRef, ask, call, type Effect, read, type Tool, toJson, write } from "@haft/core/tool";
import { diffDisplay } from "@haft/tools/diff";
import { callRemote, type RemoteCall } from "./call/call-remote.ts";
import { contentDisplay, type McpOutput } from "./call/content.ts";
import type { Definition, ToolPage } from "./definition/definition.ts";
import type { Icon } from "./definition/icons.ts";
import type { Pinned, Pins } from "./definition/pins.ts";
import { remoteInput } from "./definition/remote-input.ts";
import { toolNameOf } from "./tool-name.ts";

/** The parts of a remote tool. */
interface RemoteToolParts extends Omit<RemoteCall, "tool" | "inputSchema" | "asTask"> {
  readonly definition: Definition;
  readonly aliases: readonly string[];
  /** The folders of a sandboxed server. It cannot change anything else on this machine. */
  readonly confinedTo?: readonly string[];
  /** The user trusts this server's hints about its tools. */
  readonly isTrusted: boolean;
  readonly isAlwaysOffered: boolean;
  readonly pins: Pins;
  /** The server's instructions for its tools, if they may be in a system prompt. Only the first of the offered tools carries them. */
  instructions(offered: ReadonlySet<string>, tool: string): string | undefined;
  /** Whether the server can be called now or soon. */
  when(): true | Absent;
  /** A changed definition was confirmed, so the tool's offer changes. */
  onPinned(): void;
}

/** The origin of a tool: the real names of its server and itself. Names are never parsed to find this out. */
export interface McpInfo {
  readonly serverName: string;
  readonly toolName: string;
  readonly icons?: readonly Icon[];
  readonly page?: ToolPage;
}

/** The agent in whose name the page of a server makes its calls. */
export const pageAgent = (server: string): AgentRef => ({ id: PAGE, name: `page of ${server}` });

const PAGE = "page";
const FOR_PAGES_ONLY = { absent: "only the server's own pages may call it" };

/** A tool of an MCP server. A tool that is merely named like one has no `mcpInfo` and gets no rights from its name. */
export interface RemoteTool extends Tool<unknown, McpOutput> {
  readonly mcpInfo: McpInfo;
}

/**
 * Wraps a remote tool as an ordinary one. Its effects are untrusted claims. While its definition differs from the one used here before, the
 * model sees the earlier one, and a person is asked before each call, whatever the rules allow.
 */
export function remoteTool(parts: RemoteToolParts): RemoteTool {
  const { server, definition, isTrusted, aliases } = parts;
  const { name, hints, icons, page } = definition;
  const pin = parts.pins.of(server, definition);
  const pinned = pin.pinned();
  const shown: Pinned = pin.isChanged() && pinned && isUsable(pinned) ? pinned : definition;
  // A hint that loosens counts only for a trusted server; one that tightens always counts.
  const change = !(isTrusted && hints.readOnly === true);
  const what = boundOf(parts, change);
  const remote: RemoteCall = {
    ...parts,
    tool: name,
    inputSchema: definition.inputSchema,
    ...(definition.asTask ? { asTask: definition.asTask } : {}),
  };
  return {
    name: toolNameOf(server, name),
    mcpInfo: { serverName: server, toolName: name, ...(icons ? { icons } : {}), ...(page ? { page } : {}) },
    title: `${shown.title ?? name} (${server})`,
    description: shown.description || `${name} of the MCP server ${server}.`,
    input: remoteInput(shown.inputSchema, `${name} of the MCP server ${server}`),
    can: parts.confinedTo === undefined ? ["call", "ask"] : ["call", "ask", "read", "write"],
    ...(aliases.length > 0 ? { aliases } : {}),
    searchHint: `${server} ${name}`,
    ...(parts.isAlwaysOffered ? { offer: "always" } : {}),
    ...(change ? {} : { autoExecute: true }),
    ...(hints.destructive === true
      ? { override: { isDestructive: true, because: "the server declares it destructive" } }
      : {}),
    when: ({ agent }) => (page?.isForModel === false && agent.id !== PAGE ? FOR_PAGES_ONLY : parts.when()),
    prompt: ({ tools }) => parts.instructions(tools, toolNameOf(server, name)),
    effects: (): readonly Effect[] => {
      const because = pin.isChanged() ? OTHER_THAN_KNOWN : hints.needsPerson ? undefined : null;
      return because === null ? what : [...what, { ...ask(because), basis: "claimed" }];
    },
    preview: (input) => (pin.isChanged() ? previewOfChange(parts, pinned) : { kind: "text", text: toJson(input) }),
    async run(input, ctx) {
      const wasChanged = pin.isChanged();
      pin.confirm();
      if (wasChanged) parts.onPinned();
      return callRemote(remote, input, ctx);
    },
    toModel: ({ content }) => content,
    toDisplay: ({ content }) => contentDisplay(content, name),
  };
}

const OTHER_THAN_KNOWN =
  "The server's definition of this tool has changed since it was last allowed. It needs confirmation, whatever the rules say.";

/**
 * The most that a call may do. This is the server's claim, unless the server runs in the sandbox: then the kernel limits its effects on
 * this machine.
 */
function boundOf({ server, definition, confinedTo }: RemoteToolParts, change: boolean): readonly Effect[] {
  const what = call(server, definition.name, { change });
  if (confinedTo === undefined) return [what];
  const writes = change ? confinedTo.map((folder) => write(folder, "modify", { tree: true })) : [];
  return [{ ...what, basis: "enforced" }, read("/", { tree: true }), ...writes];
}

/** Shows a person both definitions before a changed tool runs: the earlier one and the current one. */
async function previewOfChange({ server, definition }: RemoteToolParts, pinned: Pinned | undefined) {
  const path = `${definition.name} of the MCP server ${server}, as used before and as it is now`;
  return diffDisplay(path, pinned ? definitionText(pinned) : "", definitionText(definition));
}

/** The record is a file that people can edit. */
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
