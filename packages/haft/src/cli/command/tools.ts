import { nearest } from "@haft/core/schema";
import type { Haft } from "../../app/haft.ts";
import type { Command } from "../command.ts";
import { drawToolList, drawToolPage } from "../draw/tool-page.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { noticesText, openHaft } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { processTerminal } from "../terminal.ts";
import { searchTools, type ToolInfo, toolInfos } from "../tool-info.ts";

const verbs = ["list", "show", "search"] as const;

/** `haft tools list|show NAME|search QUERY`: what is offered, and with `--all` what is not, with the reason. */
export const tools: Command = async (args) => {
  const { common, own, words } = readOptions(args, { all: "boolean" }, 20);
  const [verb = "list", ...rest] = words;
  if (!verbs.some((known) => known === verb)) {
    const close = nearest(verb, verbs);
    throw new UsageError(
      `There is no "tools ${verb}".`,
      close ? `Did you mean tools ${close}?` : "Use list, show NAME or search QUERY.",
    );
  }
  if (verb === "list" && rest.length > 0)
    throw new UsageError(`Unexpected argument "${rest[0]}".`, `Did you mean tools show ${rest[0]}?`);
  const terminal = processTerminal();
  await using haft = await openHaft(common, { withoutRecord: true });
  terminal.tell(noticesText(haft));
  const all = await toolInfos(haft);
  const chosen = verb === "show" ? [showOne(haft, all, rest)] : filtered(haft, all, verb, rest, own.all === true);
  if (common.json) {
    await terminal.print(`${JSON.stringify(chosen, null, 2)}\n`);
    return EXIT.ok;
  }
  const draw = verb === "show" ? drawToolPage(chosen[0]!, terminal.style) : drawToolList(chosen, terminal.style);
  await terminal.print(`${draw}\n`);
  return EXIT.ok;
};

function showOne(haft: Haft, all: readonly ToolInfo[], [name]: readonly string[]): ToolInfo {
  if (name === undefined) throw new UsageError("Which tool?", "Usage: haft tools show NAME.");
  const entry = haft.registry.get(name);
  const info = all.find((one) => one.name === entry?.tool.name);
  if (info) return info;
  const close = haft.registry.suggest(name);
  throw new UsageError(`There is no tool "${name}".`, close ? `Did you mean ${close}?` : "See haft tools list --all.");
}

function filtered(
  haft: Haft,
  all: readonly ToolInfo[],
  verb: string,
  words: readonly string[],
  absentToo: boolean,
): readonly ToolInfo[] {
  const visible = absentToo ? all : all.filter(({ offered }) => offered);
  if (verb === "list") return visible;
  if (words.length === 0) throw new UsageError("Search for what?", "Usage: haft tools search QUERY.");
  const hints = new Map(haft.registry.entries().map(({ tool }) => [tool.name, tool.searchHint ?? ""]));
  return searchTools(visible, hints, words.join(" "));
}
