import { display } from "@haft/core/tool";
import { HELD_WHY, type Held, type HeldContent, type HostJournal } from "@haft/journal";
import { wordsFor } from "@haft/journal/undo";
import { real } from "../../../app/workspace.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { bodyOf } from "./diff-body.ts";
import { handOutHead } from "./hand-out.ts";
import { journalAt, printUndone, refused } from "./take-back.ts";

const ACTIONS = ["list", "show", "commit", "discard"] as const;

/** `haft held`: manages changes that commands made in their view and that were not applied. */
export const held: Command = async (args) => {
  const { common, own, words } = readOptions(args, { force: "boolean" }, 2);
  const [action = "list", id] = words;
  const known = ACTIONS.find((one) => one === action);
  if (!known) throw new UsageError(`There is no "held ${action}".`, `Use held ${ACTIONS.join(", held ")}.`);
  if (known !== "list" && id === undefined)
    throw new UsageError(`Which one? held ${known} ID`, "haft held list shows the held changes.");
  const terminal = processTerminal();
  const cwd = real(common.cwd);
  const journal = journalAt(cwd, terminal);
  try {
    if (known === "commit") {
      const done = await journal.commitHeld(id!, own.force ? { force: true } : {});
      await handOutHead(journal, common, cwd);
      return await printUndone(done, common, cwd);
    }
    await terminal.print(await answer(known, id!, journal, common, cwd));
    if (known === "discard") await handOutHead(journal, common, cwd);
    return EXIT.ok;
  } catch (thrown) {
    return await refused(thrown, common, terminal);
  } finally {
    await journal.close();
  }
};

async function answer(
  action: "list" | "show" | "discard",
  id: string,
  journal: HostJournal,
  { json }: CommonOptions,
  cwd: string,
): Promise<string> {
  if (action === "list") {
    const all = await journal.held();
    if (json) return all.map((one) => `${JSON.stringify(jsonOf(one))}\n`).join("");
    return all.length === 0 ? "There are no held changes.\n" : all.map((one) => `${lineOf(one)}\n`).join("");
  }
  if (action === "discard") {
    const gone = await journal.discardHeld(id);
    return json ? `${JSON.stringify({ action, ...jsonOf(gone) })}\n` : `Discarded: ${lineOf(gone)}\n`;
  }
  const content = await journal.showHeld(id);
  return json ? `${JSON.stringify(contentJson(content))}\n` : contentText(content, cwd);
}

const jsonOf = ({ id, at, session, call, tool, reason, paths }: Held) => ({
  id,
  at,
  session,
  call,
  tool,
  reason,
  paths,
});

const lineOf = ({ id, at, call, tool, reason }: Held): string =>
  oneLine(`${id}  ${at.slice(0, 16).replace("T", " ")}  ${call} (${tool}): ${HELD_WHY[reason]}`);

const contentJson = ({ held: one, changes, previews, conflicts }: HeldContent) => ({
  ...jsonOf(one),
  changes: changes.map((change, index) => ({
    path: change.path,
    what: wordsFor(change, "made"),
    diff: previews[index]?.diff,
  })),
  conflicts,
});

function contentText({ held: one, previews, conflicts }: HeldContent, cwd: string): string {
  const shown = (path: string) => oneLine(display(cwd, path.toWellFormed()));
  return [
    lineOf(one),
    ...previews.flatMap(({ path, what, diff }) => {
      const line = `  ${shown(path)}: ${oneLine(what)}`;
      return diff === undefined ? [line] : [line, bodyOf(visible(diff))];
    }),
    ...(previews.length === 0 ? ["  Nothing would be changed."] : []),
    ...conflicts.map(
      (path) => `  ${shown(path)}: others have changed it since; commit --force overwrites their version`,
    ),
    "",
  ].join("\n");
}
