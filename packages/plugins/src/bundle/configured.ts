import type { HooksSettings, McpServerSettings } from "@haft/core/policy";
import type { PluginContents } from "./contents.ts";
import {
  argumentsWithAnswers,
  missingOptions,
  type OptionValues,
  optionEnvironment,
  withAnswers,
  withDefaults,
  withVariables,
} from "./options.ts";
import { placed } from "./read-contents.ts";

/**
 * A plugin with the user's answers in its servers and hooks. Its programs find all of them in their environment too. While
 * an answer is missing, its servers are left out.
 */
export function configured(contents: PluginContents, given: OptionValues, folder: string): PluginContents {
  const { options, hooks, mcpServers, lspServers } = contents;
  const values = withDefaults(options, given);
  const variables = optionEnvironment(values);
  const isMissing = missingOptions(options, values).length > 0;
  const fill = (text: string): string => withAnswers(text, values);
  const filled = (record: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fill(value)]));
  const server = ({ command, args, url, headers, env, ...rest }: McpServerSettings): McpServerSettings => ({
    ...rest,
    ...(command === undefined ? {} : { command: fill(command), args: argumentsWithAnswers(args ?? [], values) }),
    ...(command === undefined ? {} : { env: { ...variables, ...filled(env) } }),
    ...(url === undefined ? {} : { url: fill(url) }),
    ...(headers ? { headers: filled(headers) } : {}),
  });
  const each = <T>(record: Readonly<Record<string, T>>, change: (one: T) => T) =>
    isMissing ? {} : Object.fromEntries(Object.entries(record).map(([name, one]) => [name, change(one)]));
  return {
    ...contents,
    hooks: configuredHooks(hooks, variables, folder),
    mcpServers: each(mcpServers, server),
    lspServers: each(lspServers, ({ args, env, command = "", ...rest }) => ({
      ...{ ...rest, command: fill(command), args: argumentsWithAnswers(args ?? [], values) },
      env: { ...variables, ...filled(env) },
    })),
  };
}

/** Hooks whose commands find the plugin's folder and the answers in their environment. */
function configuredHooks(
  hooks: HooksSettings,
  answers: Readonly<Record<string, string>>,
  folder: string,
): HooksSettings {
  const env = { ...answers, CLAUDE_PLUGIN_ROOT: folder, PLUGIN_ROOT: folder, extensionPath: folder };
  const own = (hook: Hook): Hook => {
    const { command, args } = hook;
    if (typeof command !== "string") return hook;
    if (!Array.isArray(args)) return { ...hook, env, command: withVariables(command) };
    const words = [command, ...args.map(String)].map((word) => placed(word, folder));
    const [program, ...rest] = words;
    return { ...hook, env, command: program, args: rest };
  };
  const entries = Object.entries(hooks).map(([event, groups]) => [
    event,
    Array.isArray(groups) ? groups.map((group: Group) => ({ ...group, hooks: group.hooks.map(own) })) : groups,
  ]);
  return Object.fromEntries(entries) as HooksSettings;
}

type Hook = { readonly command?: unknown; readonly args?: unknown; readonly env?: unknown };
type Group = { readonly hooks: readonly Hook[] };
