import type { HostJournal } from "@haft/journal";
import { publishHead } from "../../../app/journal/head.ts";
import { headTaker } from "../../../app/journal/head-file.ts";
import { drawNotice } from "../../draw-notice.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/**
 * Closes the journal and publishes its head where the settings keep heads, after a command that wrote to it without a
 * session.
 */
export async function handOutHead(journal: HostJournal, common: CommonOptions, workspace: string): Promise<void> {
  // A closed journal may drop its oldest contents, and is then linked again.
  await journal.close();
  const head = journal.head();
  if (head === undefined) return;
  const notice = publishHead(headTaker(common), { at: new Date().toISOString(), workspace, journal: head });
  if (notice !== undefined) processTerminal().tell(drawNotice(notice));
}
