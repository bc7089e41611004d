import { real } from "../../../app/workspace.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import {
  conversationMarkdown,
  deleteSession,
  type StoredSession,
  storedSession,
  storedSessions,
} from "../../../session/index.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/** `haft sessions [list]`, `export ID|last` as Markdown or with `--json` as JSON, `delete ID`. */
export const sessions: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 2);
  const [verb = "list", id] = words;
  const place = { cwd: real(common.cwd) };
  const { print } = processTerminal();
  if (verb === "list" && id === undefined) {
    const found = storedSessions(place);
    if (common.json) await print(`${JSON.stringify(found, null, 2)}\n`);
    else await print(`${found.map(sessionRow).join("\n") || "This folder has no conversation yet."}\n`);
    return EXIT.ok;
  }
  if (verb !== "export" && verb !== "delete")
    throw new UsageError(`There is no "sessions ${words.join(" ")}".`, "Use list, export ID or delete ID.");
  if (id === undefined) throw new UsageError("Which session?", "Name its id; haft sessions lists them.");
  if (verb === "delete") {
    deleteSession(id, place);
    await print(`Deleted session ${id}. The file changes of its calls remain.\n`);
    return EXIT.ok;
  }
  const { conversationIn } = await import("../../../agent/index.ts");
  const found = storedSession(id, place);
  const messages = conversationIn(found.folder);
  if (common.json) await print(`${JSON.stringify({ id: found.id, cwd: place.cwd, messages }, null, 2)}\n`);
  else await print(visible(conversationMarkdown(found.id, messages)));
  return EXIT.ok;
};

/** A session in one line. */
export const sessionRow = ({ id, title, updatedAt, messages }: StoredSession): string =>
  `${id}  ${updatedAt.toISOString().slice(0, 16).replace("T", " ")}  ${String(messages).padStart(4)}  ${oneLine(title)}`;
