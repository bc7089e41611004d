/** @module What commands of a script show. By itself: the rest of the analysis loads when a command is judged. */
export { deeplyRead } from "../reader/shown/deep.ts";
export { readThroughLinks } from "../reader/shown/links.ts";
export { misreadNames } from "../reader/shown/misread.ts";
export { openedUnnamed, shownUnnamed } from "../reader/shown/opened.ts";
