import { nearest } from "@haft/core/schema";
import type { Haft } from "../../app/haft.ts";
import { type ToolInfo, toolInfos } from "../../draw/tool-info.ts";
import { drawToolList, drawToolPage } from "../../draw/tool-page.ts";
import type { Command } from "../command.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { openHaft } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { catalogIndex, checkSearch, offeredIndex, searchTools } from "../search/tools-search.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** Milliseconds that the list waits for MCP servers. */
const SERVERS_MS = 10_000;

const verbs = ["list", "show", "search"] as const;

/**
 * `haft tools list|show NAME|search QUERY`: lists the offered tools, and with `--all` also the others, with the reason.
 */
export const tools: Command = async (args) => {
  const { common, own, words } = readOptions(args, { all: "boolean", catalog: "string", jsonl: "string" }, 20);
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
  if (verb !== "search" && (own.catalog ?? own.jsonl) !== undefined)
    throw new UsageError("--catalog and --jsonl are for tools search.", "Usage: haft tools search QUERY.");
  const terminal = processTerminal();
  const search = { terminal, words: rest, jsonl: own.jsonl, json: common.json };
  if (verb === "search") {
    checkSearch(rest, own.jsonl);
    if (own.catalog !== undefined) return searchTools({ ...search, index: await catalogIndex(own.catalog) });
  }
  await using haft = await openHaft(common, { lookOnly: true });
  await haft.mcp.settled(SERVERS_MS);
  if (verb === "search") return searchTools({ ...search, index: await offeredIndex(haft, own.all === true) });
  const all = await toolInfos(haft);
  const chosen = verb === "show" ? [showOne(haft, all, rest)] : own.all ? all : all.filter(({ offered }) => offered);
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
