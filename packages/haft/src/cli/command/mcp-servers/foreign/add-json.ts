import JSON5 from "json5";
import { serverIn } from "../../../../app/settings/mcp-json.ts";
import type { Command } from "../../../command.ts";
import { EXIT, UsageError } from "../../../exit-code.ts";
import { readOptions } from "../../../options.ts";
import { assertName, saveServer, scopeNamed } from "../save.ts";

const USAGE = `Usage: haft mcp add-json NAME '{"command": "npx", "args": ["-y", "PACKAGE"]}' [--scope SCOPE].`;

/** `haft mcp add-json NAME JSON`: adds a server as the documentation of most servers writes it. */
export const addJson: Command = async (args) => {
  const { common, own, words } = readOptions(args, { scope: "string" }, 2);
  const [name, json] = words;
  if (name === undefined || json === undefined) throw new UsageError("Add which server?", USAGE);
  assertName(name);
  let value: unknown;
  try {
    value = JSON5.parse(json);
  } catch (thrown) {
    throw new UsageError(`This is not JSON: ${(thrown as Error).message}.`, USAGE);
  }
  const server = serverIn(value);
  if (!server) throw new UsageError('It has neither "command" nor "url".', USAGE);
  const { enabled, ...rest } = server;
  await saveServer(common, name, enabled === false ? server : rest, scopeNamed(own.scope ?? "local"));
  return EXIT.ok;
};
