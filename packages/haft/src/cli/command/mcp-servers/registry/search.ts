import { oneLine } from "../../../../draw/sanitize.ts";
import type { Command } from "../../../command.ts";
import { EXIT, UsageError } from "../../../exit-code.ts";
import { readOptions } from "../../../options.ts";
import { processTerminal } from "../../../terminal/terminal.ts";
import { knownServers } from "../known.ts";
import { openRegistry } from "./client.ts";
import type { ServerJson } from "./server-json.ts";
import { isWay, waysOf } from "./ways.ts";

const MOST_WORDS = 20;
const MOST_SERVERS = 20;

/** `haft mcp search WORDS`: looks for servers in the MCP registry. Nothing is added. */
export const search: Command = async (args) => {
  const { common, own, words } = readOptions(args, { limit: "string" }, MOST_WORDS);
  if (words.length === 0) throw new UsageError("Search for which servers?", "Usage: haft mcp search WORDS");
  const most = own.limit === undefined ? MOST_SERVERS : Number(own.limit);
  if (!Number.isInteger(most) || most < 1) throw new UsageError(`"${own.limit}" is not a number.`, "Write --limit 20.");
  const registry = openRegistry(knownServers(common).settings);
  const found = await registry.search(
    words.flatMap((word) => word.split(/\s+/)),
    most,
  );
  const { print } = processTerminal();
  if (common.json) await print(`${JSON.stringify(found.map(asData), null, 2)}\n`);
  else if (found.length === 0) await print(`${oneLine(registry.address)} has no server with these words.\n`);
  else await print(`${found.map(page).join("\n")}\nAdd one: haft mcp add ${found[0]!.name}\n`);
  return EXIT.ok;
};

const asData = (server: ServerJson) => {
  const { name, title, description, version } = server;
  return {
    name,
    title,
    description,
    version,
    ways: waysOf(server).map((way) => ({ title: way.title, usable: isWay(way) })),
  };
};

function page(server: ServerJson): string {
  const { name, version, description, isDeprecated } = server;
  const ways = waysOf(server).map((way) => `    ${oneLine(way.title)}${isWay(way) ? "" : `: ${oneLine(way.why)}`}`);
  return [
    `${name} ${oneLine(version)}${isDeprecated ? " (deprecated)" : ""}`,
    `    ${oneLine(description)}`,
    ...ways,
  ].join("\n");
}
