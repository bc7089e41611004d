import type { HostJournal } from "@haft/journal";
import { journalOf } from "../../app/journal/open-journal.ts";
import { Problem } from "../route/problem.ts";
import type { ServerParts } from "./parts.ts";

/** Works with the journal of the folder. It is opened for each request: other processes write it too. */
export async function withJournal<T>(
  { rooms }: Pick<ServerParts, "rooms">,
  work: (journal: HostJournal) => T | Promise<T>,
): Promise<T> {
  if (!rooms.state) throw new Problem(409, "tool_unavailable", "Undo is not available here.");
  const journal = journalOf(rooms.state, rooms.cwd);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}
