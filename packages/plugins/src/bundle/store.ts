import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail } from "@haft/core/tool";
import type { DeclaredTool } from "../discovery/declared-tools.ts";
import type { OptionValues } from "./options.ts";
import { treeHash, treeStamp } from "./tree.ts";

/** A plugin that a person has agreed to. */
export interface InstalledPlugin {
  readonly name: string;
  readonly version?: string;
  /** The source that `haft plugin add` was given. */
  readonly source: string;
  /** The folder with its files, and the digest of them that was agreed to. */
  readonly folder: string;
  readonly hash: string;
  readonly stamp: string;
  /** The lines that were shown and agreed to. */
  readonly declared: readonly string[];
  /** The tools that its module registered when it was rehearsed. */
  readonly tools: readonly DeclaredTool[];
  /** Its module, or the server of a bundle, runs with the user's rights. */
  readonly unconfined?: true;
}

/** The plugins of a user, in a folder of the state. */
export interface PluginStore {
  readonly root: string;
  list(): readonly InstalledPlugin[];
  /** Moves a folder into the store and writes the plugin down, in place of an earlier version. */
  keep(plugin: Omit<InstalledPlugin, "folder" | "hash" | "stamp">, files: string): InstalledPlugin;
  remove(name: string): boolean;
  /** The user's answers to the options of a plugin. Secrets may be among them. */
  answers(name: string): OptionValues;
  /** Writes the answers down, in a file that only the user can read. */
  keepAnswers(name: string, values: OptionValues): void;
}

export function pluginStore(state: string): PluginStore {
  const root = join(state, "plugins");
  const file = join(root, "plugins.json");
  // Not among the files of plugins, which confined programs may read.
  const answersFile = join(state, "plugin-answers.json");

  function list(): readonly InstalledPlugin[] {
    if (!existsSync(file)) return [];
    try {
      const value: unknown = JSON.parse(readFileSync(file, "utf8"));
      if (Array.isArray(value)) return value as InstalledPlugin[];
    } catch {
      // Said below, with the cure.
    }
    return fail(
      "validation_failed",
      `The list of plugins cannot be read: ${file}.`,
      "Correct it, or remove it and add the plugins again.",
    );
  }
  function write(plugins: readonly InstalledPlugin[]): void {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    replace(file, plugins);
  }
  function allAnswers(): Readonly<Record<string, OptionValues>> {
    if (!existsSync(answersFile)) return {};
    try {
      return JSON.parse(readFileSync(answersFile, "utf8")) as Record<string, OptionValues>;
    } catch {
      return fail(
        "validation_failed",
        `The answers to the options of plugins cannot be read: ${answersFile}.`,
        "Correct it, or remove it and run `haft plugin configure NAME`.",
      );
    }
  }

  return {
    root,
    list,
    keep(plugin, files) {
      const hash = treeHash(files);
      const folder = join(root, plugin.name, hash.slice(0, 16));
      const before = list().find(({ name }) => name === plugin.name);
      mkdirSync(join(root, plugin.name), { recursive: true, mode: 0o700 });
      rmSync(folder, { recursive: true, force: true });
      renameSync(files, folder);
      const kept: InstalledPlugin = { ...plugin, folder, hash, stamp: treeStamp(folder) };
      write([...list().filter(({ name }) => name !== plugin.name), kept].sort((a, b) => (a.name < b.name ? -1 : 1)));
      if (before && before.folder !== folder) rmSync(before.folder, { recursive: true, force: true });
      return kept;
    },
    remove(name) {
      const plugins = list();
      if (!plugins.some((plugin) => plugin.name === name)) return false;
      write(plugins.filter((plugin) => plugin.name !== name));
      rmSync(join(root, name), { recursive: true, force: true });
      const { [name]: gone, ...rest } = allAnswers();
      if (gone) replace(answersFile, rest);
      return true;
    },
    answers: (name) => allAnswers()[name] ?? {},
    keepAnswers(name, values) {
      mkdirSync(state, { recursive: true, mode: 0o700 });
      replace(answersFile, { ...allAnswers(), [name]: values });
    },
  };
}

function replace(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Why an installed plugin must not be used: its files are not those that were agreed to. */
export function changedSince({ name, folder, hash, stamp }: InstalledPlugin): string | undefined {
  try {
    if (treeStamp(folder) === stamp || treeHash(folder) === hash) return undefined;
    return `The files of the plugin ${name} have changed since you approved them, so it is disabled.`;
  } catch (thrown) {
    return `The plugin ${name} cannot be read, so it is disabled: ${(thrown as Error).message}`;
  }
}
