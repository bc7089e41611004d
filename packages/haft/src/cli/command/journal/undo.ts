import type { UndoOptions } from "@haft/journal";
import type { Command } from "../../command.ts";
import { UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { remoteOptions } from "../../remote/open-placed.ts";
import { takeBack } from "./take-back.ts";

/** `haft undo`: reverts the file changes of a call, by default the last one in this folder that changed any. */
export const undo: Command = async (args) => {
  const switches = { all: "boolean", force: "boolean", preview: "boolean" } as const;
  const { common, own } = readOptions(
    args,
    { call: "string", turn: "string", to: "string", ...switches, ...remoteOptions },
    0,
  );
  const scopes = [own.call, own.turn, own.to, own.all].filter((one) => one !== undefined);
  if (scopes.length > 1)
    throw new UsageError("Use only one of --call, --turn, --to and --all.", "See haft undo --help.");
  const turn = own.turn === undefined ? undefined : Number(own.turn);
  if (turn !== undefined && !(Number.isInteger(turn) && turn > 0))
    throw new UsageError(`"${own.turn}" is not a turn.`, "Turns are counted from 1; haft log shows them.");
  const options: UndoOptions = {
    ...(own.call === undefined ? {} : { call: own.call }),
    ...(own.to === undefined ? {} : { to: own.to }),
    ...(turn === undefined ? {} : { turn }),
    ...(own.all ? { all: true } : {}),
    ...(own.force ? { force: true } : {}),
  };
  return takeBack("undo", common, options, own.preview === true, own);
};
