import type { Command } from "../../command.ts";
import { readOptions } from "../../options.ts";
import { remoteOptions } from "../../remote/open-placed.ts";
import { takeBack } from "./take-back.ts";

/** `haft redo`: repeats what was undone last, or applies the changes that a call's command had held back. */
export const redo: Command = async (args) => {
  const { common, own } = readOptions(
    args,
    { call: "string", force: "boolean", preview: "boolean", ...remoteOptions },
    0,
  );
  const options = { ...(own.call === undefined ? {} : { call: own.call }), ...(own.force ? { force: true } : {}) };
  return takeBack("redo", common, options, own.preview === true, own);
};
