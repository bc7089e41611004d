import type { HostJournal } from "@haft/tools";
import { publishHead } from "../../../app/journal/head.ts";
import { headTaker } from "../../../app/journal/head-file.ts";
import { oneLine } from "../../draw/sanitize.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/** Hands the journal's head to where the settings keep heads, after a command that wrote to it without a session. */
export function handOutHead(journal: HostJournal, common: CommonOptions, workspace: string): void {
  const head = journal.head();
  if (head === undefined) return;
  const problem = publishHead(headTaker(common), { at: new Date().toISOString(), workspace, journal: head });
  if (problem !== undefined) processTerminal().tell(`haft: ${oneLine(problem)}\n`);
}
