/** @module Extensions that others write: skills, tool files, plugins, discovery programs. */

export { download } from "./archive/download.ts";
export { configured } from "./bundle/configured.ts";
export type { PluginContents } from "./bundle/contents.ts";
export { type Declaration, declaredIn, linesOf } from "./bundle/declared.ts";
export { fetchPlugin, lastingSource } from "./bundle/fetch-plugin.ts";
export { fetchFromMarketplace, marketplaceStore, readMarketplace } from "./bundle/marketplace.ts";
export {
  missingOptions,
  type OptionValue,
  type OptionValues,
  openAnswers,
  type PluginOption,
  parseOption,
  variableOf,
  withDefaults,
} from "./bundle/options.ts";
export { placed, readContents } from "./bundle/read-contents.ts";
export { changedSince, type InstalledPlugin, pluginStore } from "./bundle/store.ts";
export { treeHash } from "./bundle/tree.ts";
export { pluginCommand, startPlugin } from "./code/plugin-process.ts";
export { pluginTools } from "./code/plugin-tools.ts";
export { commandWords } from "./discovery/command-line.ts";
export type { DeclaredTool } from "./discovery/declared-tools.ts";
export { declarationsIn, discoveredTool } from "./discovery/declared-tools.ts";
export { runProgram } from "./discovery/run-program.ts";
export { readPage } from "./frontmatter.ts";
export { hasSkills, loadSkills, skillStamp } from "./skill/load-skills.ts";
export { skillFiles, skillText } from "./skill/skill-files.ts";
export {
  createToolFiles,
  hasToolFiles,
  TOOL_FOLDER,
  type ToolFiles,
  type ToolFolder,
  USER_TOOL_FOLDER,
} from "./tool-file/tool-files.ts";
