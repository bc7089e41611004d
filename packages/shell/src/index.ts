/** @module Turns a shell script into effects: one parser for policy, prompts and execution. */
export { analyseInPlace, analyseShell } from "./analyse.ts";
export { classifyCommand, isStaticReader } from "./classify.ts";
export { sayingWhatShows } from "./opaque-parts/what-shows.ts";
export { analysePowerShell } from "./powershell/index.ts";
export { gitSettings, riskyGitConfig, riskyGitSettings } from "./reader/git/git-config.ts";
export { type GitStarts, gitStarts } from "./reader/git/git-programs.ts";
export { shownPaths, storedPaths } from "./reader/git/git-shown.ts";
export { visible } from "./visible.ts";
