import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { canUseToolAsker, type PermissionResult } from "@haft/core/approval";
import { builtinToolNames, modeNamed, type WrittenSettings } from "@haft/core/policy";
import { fail, type ToolLike } from "@haft/core/tool";
import type { HookCallbacks } from "@haft/plugins/hook";
import JSON5 from "json5";
import type { Model } from "../agent/index.ts";
import { type AgentSession, type AgentSessionOptions, openSession } from "../session/index.ts";
import type { ControlChannel } from "./control-channel.ts";
import type { PrintFlags } from "./flags.ts";
import { createHostServers, type HostServers } from "./host-servers.ts";
import { hostTools } from "./sdk-tools.ts";

type Json = Readonly<Record<string, unknown>>;

/** Opens the session of a host: its options come by flags, and by its first request where it sends one. */
export async function openPrint(
  flags: PrintFlags,
  base: AgentSessionOptions,
  channel: ControlChannel | undefined,
  first: Json = {},
): Promise<{ readonly session: AgentSession; readonly servers: HostServers }> {
  const mode = flags.mode === undefined ? undefined : (modeNamed(flags.mode) ?? noMode(flags.mode));
  const systems = [flags.system, ...texts(first.systemPrompt)].filter((text) => text !== undefined && text !== "");
  const appended = [flags.append, first.appendSystemPrompt].filter((text) => typeof text === "string");
  const tools = channel ? await toolsOf(first, channel) : [];
  const hooks = channel ? callbacksOf(first, channel) : undefined;
  const session = await openSession({
    ...base,
    ...(mode ? { mode } : {}),
    ...(flags.model === undefined ? {} : { model: modelName(flags.model) }),
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.effort === undefined ? {} : { effort: flags.effort }),
    ...(flags.maxTurns === undefined ? {} : { maxTurns: flags.maxTurns }),
    ...(flags.resume === undefined ? {} : { resume: flags.resume, fork: flags.fork }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
    rules: { ...base.rules, allow: flags.allow, deny: [...flags.deny, ...allBut(flags.tools)] },
    ...(flags.money === undefined ? {} : { budget: { ...base.budget, money: flags.money } }),
    ...settingsOf(flags),
    ...(tools.length > 0 ? { tools } : {}),
    ...(hooks ? { hookCallbacks: hooks } : {}),
    ...(channel && flags.asksHost ? { ask: hostAsker(channel) } : {}),
    ...(systems.length + appended.length > 0 ? { wrapModel: (model) => withSystem(model, systems, appended) } : {}),
  });
  return { session, servers: createHostServers(session, texts(first.sdkMcpServers), serversOf(flags, first)) };
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");

/** The built-in tools that a host leaves out. Tools of servers and of the host itself stay. */
function allBut(wanted: PrintFlags["tools"]): readonly string[] {
  if (wanted === undefined) return [];
  const kept = new Set(wanted.map((name) => builtinToolNames.canonical(name)));
  return builtinToolNames.all.filter((name) => !kept.has(name));
}

const noMode = (name: string): never => fail("invalid_input", `There is no mode "${name}".`, "See haft --help.");

/** A model without a provider is Anthropic's. `sonnet` and the like choose the default, which the settings name. */
export const modelName = (name: string): string => (name.includes("/") ? name : `anthropic/${name}`);

/** Settings sources as the host wants them: `user`, `project`, `local`. Without one of them, no file counts. */
function settingsOf({ settings, sources, directories }: PrintFlags): Partial<AgentSessionOptions> {
  const given = settings === undefined ? {} : readSettings(settings);
  const permissions =
    directories.length > 0
      ? { permissions: { ...given.permissions, additionalDirectories: directories.map((folder) => resolve(folder)) } }
      : {};
  const inline = { ...given, ...permissions };
  return {
    ...(Object.keys(inline).length > 0 ? { settings: inline } : {}),
    ...(sources?.length === 0 ? { settingsFiles: false as const } : {}),
    ...(sources !== undefined && sources.length > 0 && !sources.includes("user") ? { withoutUserSettings: true } : {}),
  };
}

function readSettings(text: string): WrittenSettings {
  return JSON5.parse(text.trimStart().startsWith("{") ? text : readFileSync(text, "utf8"));
}

function serversOf({ mcpConfigs }: PrintFlags, first: Json): [string, Json][] {
  const files = mcpConfigs.map(
    (text) => readSettings(text) as { readonly mcpServers?: Readonly<Record<string, Json>> },
  );
  const given = (first.mcpServers ?? {}) as Readonly<Record<string, Json>>;
  return [...files.flatMap(({ mcpServers = {} }) => Object.entries(mcpServers)), ...Object.entries(given)].filter(
    ([, server]) => server.type !== "sdk",
  );
}

function withSystem(model: Model, systems: readonly unknown[], appended: readonly unknown[]): Model {
  return {
    name: model.name,
    ...(model.withholdsTools === undefined ? {} : { withholdsTools: model.withholdsTools }),
    step: (request) => model.step({ ...request, system: [...systems, request.system, ...appended].join("\n\n") }),
  };
}

async function toolsOf({ sdkMcpServers, sdkMcpServerManifests }: Json, channel: ControlChannel): Promise<ToolLike[]> {
  const servers = texts(sdkMcpServers);
  if (servers.length === 0) return [];
  return hostTools(servers, (sdkMcpServerManifests ?? {}) as Json, async (server_name, message, signal) => {
    const { mcp_response } = await channel.request({ subtype: "mcp_message", server_name, message }, signal);
    const { result, error } = (mcp_response ?? {}) as Json;
    if (error) throw new Error(String((error as Json).message ?? "The server answered with an error."));
    return (result ?? {}) as Json;
  });
}

function callbacksOf({ hooks }: Json, channel: ControlChannel): HookCallbacks | undefined {
  if (typeof hooks !== "object" || hooks === null) return undefined;
  const events = Object.fromEntries(
    Object.entries(hooks as Readonly<Record<string, readonly Json[] | undefined>>).map(([event, groups]) => [
      event,
      (groups ?? []).map(({ matcher, hookCallbackIds, timeout, onFailure }) => ({
        ids: texts(hookCallbackIds),
        ...(typeof matcher === "string" ? { matcher } : {}),
        ...(typeof timeout === "number" ? { timeout } : {}),
        ...(onFailure === "block" || onFailure === "continue" ? ({ onFailure } as const) : {}),
      })),
    ]),
  );
  return {
    events,
    call: (callback_id, input, signal) =>
      channel.request(
        { subtype: "hook_callback", callback_id, input, tool_use_id: (input as Json).tool_use_id },
        signal,
      ),
  };
}

const hostAsker = (channel: ControlChannel) =>
  canUseToolAsker(async (tool_name, input, { signal, suggestions, toolUseID, agentID, decisionReason, title }) => {
    const request = {
      ...{ subtype: "can_use_tool", tool_name, input, tool_use_id: toolUseID, title },
      ...{ permission_suggestions: suggestions, decision_reason: decisionReason, decision_reason_type: "other" },
      ...(agentID === undefined ? {} : { agent_id: agentID }),
    };
    return (await channel.request(request, signal)) as unknown as PermissionResult;
  });
