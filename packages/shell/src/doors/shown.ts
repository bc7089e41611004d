/** @module What commands of a script show. By itself: the rest of the analysis loads when a command is judged. */
export { deeplyRead } from "../reader/output-files/deep.ts";
export { readThroughLinks } from "../reader/output-files/links.ts";
export { misreadNames } from "../reader/output-files/misread.ts";
export { openedUnnamed, shownUnnamed } from "../reader/output-files/opened.ts";
