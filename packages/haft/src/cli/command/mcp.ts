import { once } from "node:events";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { noticesText, openHaft } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { packageVersion } from "../version.ts";
import { mcpServersCommand } from "./mcp-servers/dispatch.ts";

/**
 * `haft mcp`: an MCP server on standard input and output, until the client closes them; `haft mcp add|list|…`: the servers
 * whose tools Haft uses.
 */
export const mcp: Command = async (args) => {
  const other = mcpServersCommand(args);
  if (other) return other;
  const { common } = readOptions(args, {}, 0);
  using interrupt = onInterrupt();
  await using haft = await openHaft(common);
  const tell = (text: string): void => void process.stderr.write(text);
  tell(noticesText(haft));
  const { serveMcp } = await import("../../server/mcp/serve.ts");
  const handle = serveMcp(haft, {
    version: await packageVersion(),
    onError: (error) => tell(`haft mcp: ${error.message}\n`),
  });
  const stopped = interrupt.signal.aborted ? Promise.resolve() : once(interrupt.signal, "abort");
  // A file at its end never closes, and a broken pipe never ends.
  await Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), stopped]);
  await handle.close();
  process.stdin.destroy();
  return interrupt.signal.aborted ? EXIT.interrupted : EXIT.ok;
};
