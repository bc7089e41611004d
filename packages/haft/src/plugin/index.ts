/** @module Extensions that others write: skills, tool files, plugins, discovery programs. */

export { commandWords } from "./discovery/command-line.ts";
export { declarationsIn, discoveredTool } from "./discovery/declared-tools.ts";
export { runProgram } from "./discovery/run-program.ts";
export { type Page, readPage } from "./frontmatter.ts";
export { hasSkills, loadSkills, readableSkills, type SkillRoot, skillRoots, skillStamp } from "./skill/load-skills.ts";
export { skillFiles, skillText } from "./skill/skill-files.ts";
export {
  createToolFiles,
  hasToolFiles,
  TOOL_FOLDER,
  type ToolFiles,
  type ToolFolder,
  USER_TOOL_FOLDER,
} from "./tool-file/tool-files.ts";
