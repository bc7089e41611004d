import type { HooksSettings, LanguageServerSettings, McpServerSettings } from "@haft/core/policy";
import type { PluginOption } from "./options.ts";

/** The declarations in the files of a plugin. Nothing of it has run. */
export interface PluginContents {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** The format of its manifest. */
  readonly format: "claude" | "codex" | "gemini" | "mcpb" | "haft";
  /** Folders in which each folder is a skill, and folders of Markdown commands. Absolute, inside the plugin. */
  readonly skillFolders: readonly string[];
  readonly commandFolders: readonly string[];
  readonly agentFolders: readonly string[];
  readonly hooks: HooksSettings;
  readonly mcpServers: Readonly<Record<string, McpServerSettings>>;
  readonly lspServers: Readonly<Record<string, LanguageServerSettings>>;
  /** The values that it asks its user for. */
  readonly options: readonly PluginOption[];
  /** The module that registers tools, absolute. */
  readonly entry?: string;
  /** Scripts that a package manager would run at its installation. Haft never runs them. */
  readonly installScripts: Readonly<Record<string, string>>;
  /** Tools that it wants to be absent. */
  readonly excluded: readonly string[];
  /** Parts that cannot be read, or that have no effect. */
  readonly problems: readonly string[];
}
