import { existsSync } from "node:fs";
import type { RecordEntry } from "@haft/core/host";
import { isPrivatePath } from "@haft/core/policy";
import type { Effect } from "@haft/core/tool";
import { readSessionLog } from "@haft/service";

/** Whether a session has read something private. If so, mode `undoable` fetches nothing without asking. */
export interface PrivateReads {
  /** Notes the effects of a call that was carried out. */
  note(effects: readonly Effect[]): void;
  seen(): boolean;
}

/** Finds reads by earlier processes of the session in its record. Reads the record on the first question only. */
export function privateReads(record: string | readonly RecordEntry[] | undefined): PrivateReads {
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

/** Ignores refused calls: they read nothing. */
function recordTells(record: string | readonly RecordEntry[] | undefined): boolean {
  if (record === undefined || (typeof record === "string" && !existsSync(record))) return false;
  const entries = typeof record === "string" ? readSessionLog(record).entries : record;
  return entries.some(
    ({ t, status, effects }) =>
      t === "call" && status !== "denied" && Array.isArray(effects) && (effects as Effect[]).some(isPrivate),
  );
}
