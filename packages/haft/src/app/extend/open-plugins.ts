import type { Policy } from "@haft/core/policy";
import type { Registry } from "@haft/core/registry";
import { pluginTools } from "@haft/plugins";
import { confineServers } from "../mcp/confine.ts";
import type { NoticeListener } from "../notice.ts";
import type { Setup } from "../setup/setup.ts";

export interface PluginParts {
  readonly setup: Setup;
  readonly registry: Registry;
  readonly policy: () => Policy;
  readonly onNotice: NoticeListener;
}

/** Registers the tools of the plugins. A plugin's process starts at its first call. */
export function openPlugins({ setup, registry, policy, onNotice }: PluginParts): { close(): Promise<void> } {
  const { plugins, past, cwd, home, options } = setup;
  const withTools = options.tools === "read-only" ? [] : plugins.filter(({ contents }) => contents.entry !== undefined);
  if (withTools.length === 0) return { close: async () => {} };
  const sandbox = confineServers(past?.state, policy, options.lookOnly === true);
  const notice = (source: string, message: string, cure?: string): void =>
    onNotice({ code: "plugin", severity: "warning", source: `plugin ${source}`, message, ...(cure ? { cure } : {}) });
  const open = withTools.map(({ installed: { name, tools, unconfined, folder }, contents }) => {
    const server = { name: `plugin_${name}`, command: process.execPath };
    const running = pluginTools({
      ...{ name, tools, cwd, entry: contents.entry! },
      env: pluginEnvironment(options.env ?? process.env, home, folder),
      ...(unconfined || !sandbox ? {} : { confine: (plain) => sandbox.confine(server, plain) }),
      onProblem: (message) => notice(name, message, `\`haft plugin remove ${name}\` removes it.`),
    });
    const { refused } = registry.add({ origin: "plugin", name }, running.tools);
    for (const { message, hint } of refused) notice(name, message, hint);
    return running;
  });
  return {
    async close() {
      await Promise.all(open.map((running) => running.close()));
      sandbox?.end();
    },
  };
}

/** A plugin's environment: nothing secret of the user's, only what programs need to work at all. */
export const pluginEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  folder: string,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"].flatMap((name) => {
      const value = env[name] ?? process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
  HOME: home,
  CLAUDE_PLUGIN_ROOT: folder,
});
