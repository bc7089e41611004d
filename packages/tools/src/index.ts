/** @module Haft's Node host and its built-in tools. */
export * from "./builtin/index.ts";
export * from "./hook/index.ts";
export * from "./host/index.ts";
export * from "./journal/index.ts";
export * from "./sandbox/index.ts";
export * from "./service/index.ts";
// By itself: the rest of the shell's analysis is loaded when a command is judged.
export { deeplyRead } from "./shell/reader/shown/deep.ts";
export { readThroughLinks } from "./shell/reader/shown/links.ts";
export { misreadNames } from "./shell/reader/shown/misread.ts";
export { openedUnnamed, shownUnnamed } from "./shell/reader/shown/opened.ts";
export * from "./source/index.ts";
