import { existsSync } from "node:fs";
import { isPrivatePath } from "@haft/core/policy";
import type { Effect } from "@haft/core/tool";
import { readSessionLog } from "@haft/tools";

/** Whether a session has read something private: then nothing is fetched unasked in mode `undoable`. */
export interface PrivateReads {
  /** A call with these effects has been carried out. */
  note(effects: readonly Effect[]): void;
  seen(): boolean;
}

/** Knows what earlier processes of the session have read from its record; that is looked at when it is first asked. */
export function privateReads(record: string | undefined): PrivateReads {
  let isSeen = false;
  let isRecordRead = false;
  return {
    note(effects) {
      isSeen ||= effects.some(isPrivate);
    },
    seen() {
      if (!isSeen && !isRecordRead) isSeen = recordTells(record);
      isRecordRead = true;
      return isSeen;
    },
  };
}

const isPrivate = (effect: Effect): boolean =>
  effect.do === "read" && [effect.path, effect.as ?? ""].some(isPrivatePath);

/** A call that was refused has read nothing. */
function recordTells(record: string | undefined): boolean {
  if (record === undefined || !existsSync(record)) return false;
  return readSessionLog(record).entries.some(
    ({ t, status, effects }) =>
      t === "call" && status !== "denied" && Array.isArray(effects) && (effects as Effect[]).some(isPrivate),
  );
}
