import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ApprovalRecord } from "@haft/core/adapter";
import { openStateFile } from "@haft/service";

/** The calls that a host's own approval parts were asked about. Stored with the session, so that a restart forgets no question. */
export function askedCalls(sessionDir: string | undefined): ApprovalRecord {
  const file = openStateFile<string>(sessionDir && join(sessionDir, "asked-calls.json"));
  return {
    asked: (callId, question) => file.set(callId, digest(question)),
    has: (callId, question) => file.get(callId) === digest(question),
    spend: (callId) => {
      if (file.get(callId) !== undefined) file.delete(callId);
    },
  };
}

const digest = (question: string): string => createHash("sha256").update(question).digest("hex");
