import { homedir } from "node:os";
import { nearest } from "@haft/core/schema";
import { fail, type MemoryEntry } from "@haft/core/tool";
import { stateFolder } from "@haft/service";
import { agentMemories, type MemoryChange, type MemoryPage, memoryPages } from "@haft/service/session";
import { projectRoot, real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

const ACTIONS = ["list", "show", "keep", "remove", "blame", "undo"] as const;

/** `haft memory list|show|keep|remove|blame|undo`: facts that sessions have saved for later ones. */
export const memory: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 2);
  const [name = "list", id] = words;
  const action = ACTIONS.find((one) => one === name);
  if (!action) {
    const close = nearest(name, ACTIONS);
    throw new UsageError(
      `There is no "memory ${name}".`,
      close ? `Did you mean memory ${close}?` : `Use ${ACTIONS.join(", ")}.`,
    );
  }
  const cwd = real(common.cwd);
  const state = stateFolder(real(homedir()));
  const project = projectRoot(cwd) ?? cwd;
  const pages = [...memoryPages(state, project), ...agentMemories(state, project)];
  const terminal = processTerminal();
  const answer = act(action, id, pages);
  await terminal.print(common.json ? `${JSON.stringify(answer.data)}\n` : answer.text);
  return EXIT.ok;
};

interface Answer {
  readonly text: string;
  readonly data: unknown;
}

function act(action: (typeof ACTIONS)[number], id: string | undefined, pages: readonly MemoryPage[]): Answer {
  switch (action) {
    case "list":
      return { text: listed(pages), data: pages.flatMap((page) => page.entries()) };
    case "blame": {
      const entries = pages.flatMap((page) => page.entries()).filter((entry) => id === undefined || entry.id === id);
      const text = entries.map((entry) => `${row(entry)}\n    ${origin(entry)}\n`).join("");
      return { text: text === "" ? "The memory is empty.\n" : text, data: entries };
    }
    case "undo":
      return undone(pages, id);
    default: {
      const { page, entry } = entryNamed(pages, id);
      if (action === "show") return shown(page, entry);
      const changed = action === "keep" ? page.keep(entry.id) : page.remove(entry.id, {});
      return { text: `${action === "keep" ? "Now in effect" : "Removed"}: ${row(changed)}\n`, data: changed };
    }
  }
}

function listed(pages: readonly MemoryPage[]): string {
  const lines = pages.flatMap((page) => {
    const entries = page.entries();
    return entries.length === 0 ? [] : [`${page.scope}: ${page.file}`, ...entries.map((entry) => `  ${row(entry)}`)];
  });
  const aside = pages.flatMap((page) => page.entries()).filter(({ isAside }) => isAside);
  if (lines.length === 0) return "The memory is empty.\n";
  const note =
    aside.length === 0
      ? ""
      : `\n${aside.length} set aside. See haft memory show ID; haft memory keep ID puts it into effect.\n`;
  return `${lines.join("\n")}\n${note}`;
}

function shown(page: MemoryPage, entry: MemoryEntry): Answer {
  const changes = page.history().filter(({ id }) => id === entry.id);
  const text = [
    row(entry),
    `  ${origin(entry)}`,
    `  page: ${page.file}`,
    ...changes.map((change) => `  ${change.at.slice(0, 16).replace("T", " ")}  ${words(change)}`),
    ...(entry.isAside ? [`  haft memory keep ${entry.id}`, `  haft memory remove ${entry.id}`] : []),
  ].join("\n");
  return { text: `${text}\n`, data: { ...entry, file: page.file, changes } };
}

/** Undoes the latest change of both pages, or of one entry. */
function undone(pages: readonly MemoryPage[], id: string | undefined): Answer {
  const wanted = id === undefined ? undefined : entryNamedOrGone(pages, id);
  const latest = pages
    .map((page) => ({ page, change: page.latest(wanted) }))
    .filter((one) => one.change !== undefined)
    .sort((a, b) => (a.change!.at < b.change!.at ? 1 : -1))[0];
  if (!latest) return { text: "There is nothing to undo.\n", data: null };
  const change = latest.page.undo(wanted)!;
  return { text: `Undone: ${words(change)}\n`, data: change };
}

function entryNamedOrGone(pages: readonly MemoryPage[], id: string): string {
  const ids = new Set(pages.flatMap((page) => page.history().map((change) => change.id)));
  const found = [...ids].filter((one) => one.startsWith(id));
  return found.length === 1 ? found[0]! : entryNamed(pages, id).entry.id;
}

/** @throws UsageError if an id, or the start of one, matches no entry or several. */
function entryNamed(pages: readonly MemoryPage[], id: string | undefined) {
  if (id === undefined) throw new UsageError("Which entry?", "Give its id, or the beginning of it: haft memory list.");
  const found = pages.flatMap((page) =>
    page
      .entries()
      .filter((entry) => entry.id.startsWith(id))
      .map((entry) => ({ page, entry })),
  );
  if (found.length === 1) return found[0]!;
  return fail(
    "invalid_input",
    found.length === 0 ? `There is no memory entry "${id}".` : `"${id}" is the beginning of several ids.`,
    found.length === 0 ? "See haft memory list; --cwd names another project." : "Give more characters of the id.",
  );
}

const row = ({ id, text, isAside }: MemoryEntry): string => `${id}  ${isAside ? "[aside] " : ""}${oneLine(text)}`;

function origin({ origin: from, at = "", session, call, agent, sources = [] }: MemoryEntry): string {
  if (from === "hand") return "written by hand";
  const by = `written ${at.slice(0, 16).replace("T", " ")} by ${oneLine(agent ?? "an agent")}, session ${session}, call ${oneLine(call ?? "")}`;
  return sources.length === 0 ? by : `${by}, after reading ${sources.map(oneLine).join(", ")}`;
}

function words(change: MemoryChange): string {
  switch (change.t) {
    case "add":
      return `added "${oneLine(change.text)}"${change.isAside ? ", set aside" : ""}`;
    case "change":
      return `changed "${oneLine(change.before)}" to "${oneLine(change.text)}"`;
    case "remove":
      return `removed "${oneLine(change.before)}"`;
    case "keep":
      return `put "${oneLine(change.text)}" into effect`;
    case "undo":
      return "undid a change";
  }
}
