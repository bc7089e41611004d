import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fail } from "@haft/core/tool";
import {
  type Declaration,
  type DeclaredTool,
  declaredIn,
  fetchFromMarketplace,
  fetchPlugin,
  type InstalledPlugin,
  lastingSource,
  linesOf,
  marketplaceStore,
  type PluginContents,
  pluginStore,
  readContents,
  startPlugin,
  treeHash,
} from "@haft/plugins";
import type { StateFolder } from "@haft/service";
import { createHaft } from "../create-haft.ts";
import { pluginEnvironment } from "./open-plugins.ts";
import { type Rehearsal, rehearse } from "./rehearse.ts";

export interface StageOptions {
  readonly cwd: string;
  readonly home: string;
  readonly state: StateFolder;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The name under which it is installed already. */
  readonly name?: string;
  /** The digest that an archive from an address must have. */
  readonly sha256?: string;
}

/** A plugin that lies unpacked beside the installed ones. Nothing of it has run. */
export interface StagedPlugin {
  readonly contents: PluginContents;
  readonly declared: readonly Declaration[];
  /** The version that is installed already, if one is. */
  readonly before: InstalledPlugin | undefined;
  /** Its files are those that are installed. */
  readonly isSame: boolean;
  /** The declared lines that the installed version does not have. */
  readonly wider: readonly string[];
  /** Runs its hooks, servers and module in a copy without network, and tells what they did. */
  rehearse(): Promise<Rehearsal>;
  /** Starts its module with the user's rights, to learn its tools: where nothing can be rehearsed, and after a yes. */
  start(): Promise<readonly DeclaredTool[]>;
  /** Moves it to the installed plugins. */
  install(more: { readonly tools: readonly DeclaredTool[]; readonly unconfined?: boolean }): InstalledPlugin;
  discard(): void;
}

/**
 * Fetches a plugin, of a marketplace for `NAME@MARKET`, and reads what it declares. Runs nothing of it.
 *
 * @throws HaftError `validation_failed` for a source without a plugin.
 */
export async function stagePlugin(source: string, options: StageOptions): Promise<StagedPlugin> {
  const { cwd, home, state, env, signal } = options;
  const store = pluginStore(state.root);
  mkdirSync(store.root, { recursive: true, mode: 0o700 });
  const place = mkdtempSync(join(store.root, ".new-"));
  const discard = () => rmSync(place, { recursive: true, force: true });
  try {
    const folder = join(place, "files");
    const listed = marketplaceStore(state.root).find(source);
    const lasting = listed ? `marketplace:${listed.plugin}@${listed.market.name}` : lastingSource(source, cwd);
    const { sha256 } = options;
    const how = { cwd, env: { ...env, HOME: home }, signal, ...(sha256 === undefined ? {} : { sha256 }) };
    await (listed ? fetchFromMarketplace(listed, folder, how) : fetchPlugin(source, folder, how));
    const fallback = listed?.plugin ?? basename(lasting).replace(/\.(?:tgz|tar\.gz|tar|zip|mcpb|dxt|git)$/, "");
    const contents = readContents(folder, options.name ?? fallback);
    if (listed && contents.name !== listed.plugin)
      fail(
        "validation_failed",
        `The plugin ${listed.plugin} of the marketplace ${listed.market.name} is named ${contents.name} in its own manifest.`,
        "Ask the author of the marketplace to correct it.",
      );
    const declared = await declaredIn(folder, contents, effectsIn(folder, home));
    const before = store.list().find(({ name }) => name === contents.name);
    const known = new Set(before?.declared);
    return {
      ...{ contents, declared, before, discard },
      isSame: before !== undefined && before.hash === treeHash(folder),
      wider: linesOf(declared).filter((line) => !known.has(line)),
      rehearse: () => rehearse(folder, contents, signal),
      async start() {
        if (contents.entry === undefined) return [];
        const running = await startPlugin({
          entry: contents.entry,
          cwd: folder,
          env: pluginEnvironment(env, home, folder),
        });
        await running.close();
        return running.tools;
      },
      install({ tools, unconfined }) {
        const { name, version } = contents;
        const kept = store.keep(
          {
            ...{ name, source: lasting, tools, declared: linesOf(declared) },
            ...(version === undefined ? {} : { version }),
            ...(unconfined ? { unconfined } : {}),
          },
          folder,
        );
        discard();
        return kept;
      },
    };
  } catch (thrown) {
    discard();
    throw thrown;
  }
}

/** The effects of a command, as the shell's analysis finds them in the plugin's folder. */
const effectsIn =
  (folder: string, home: string) =>
  async (command: string): Promise<readonly string[]> => {
    await using haft = await createHaft({ cwd: folder, home, settings: false, stateDir: false, onNotice: () => {} });
    const { effects } = await haft.explain("Bash", { command });
    return effects.flatMap((effect) => {
      if (effect.do === "connect") return [`connects to ${effect.host}`];
      if (effect.do === "unknown") return [`unknown effects: ${effect.why}`];
      if (effect.do !== "read" && effect.do !== "write") return [];
      const path = effect.path.startsWith(folder) ? `.${effect.path.slice(folder.length)}` : effect.path;
      return [
        `${effect.do === "read" ? "reads" : effect.change === "delete" ? "removes" : "writes"} ${path}${effect.tree ? "/**" : ""}`,
      ];
    });
  };
