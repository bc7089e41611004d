import { mkdtempSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A confined program sees its own version of these. */
const isTemporary = (path: string): boolean => /^\/(?:var\/)?tmp\//.test(`${realpathSync(path)}/`);

/** Whether a confined program cannot see this checkout, nor what is installed in it. */
export const isCheckoutHidden: boolean = isTemporary(".");

/** A scratch folder that a confined program sees as it is: in no temporary folder, wherever the checkout lies. */
export const seenPlace = (name: string): string =>
  realpathSync(mkdtempSync(join(isCheckoutHidden ? homedir() : resolve("node_modules"), `.haft-${name}-`)));
