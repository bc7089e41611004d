import type { RemotePrompt } from "@haft/mcp";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import { remotePromptText } from "../../../session/index.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { openHaft } from "../../open-haft.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/** Milliseconds to wait for servers. */
const WAIT_MS = 10_000;

/** `haft mcp prompts [NAME]`: lists the prompts of servers. */
export const prompts: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const terminal = processTerminal();
  await using haft = await openHaft(common);
  await haft.mcp.settled(WAIT_MS);
  const found = await haft.mcp.prompts(words[0]);
  if (common.json) await terminal.print(`${JSON.stringify(found.prompts, null, 2)}\n`);
  else await terminal.print(`${found.prompts.map(row).join("\n") || "No connected MCP server has prompts."}\n`);
  for (const problem of found.problems) terminal.tell(`${oneLine(problem)}\n`);
  return EXIT.ok;
};

/** `haft mcp prompt COMMAND [ARGUMENTS]`: prints a filled-in prompt as text. */
export const prompt: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 100);
  const [command, ...rest] = words;
  if (command === undefined) throw new UsageError("Which prompt?", "See haft mcp prompts.");
  await using haft = await openHaft(common);
  const text = await remotePromptText(haft, { command: command.replace(/^\//, ""), rest: rest.join(" ") });
  await processTerminal().print(`${visible(text)}\n`);
  return EXIT.ok;
};

function row({ command, description, arguments: fields }: RemotePrompt): string {
  const shape = fields.map(({ name, required }) => (required ? name : `[${name}]`)).join(" ");
  return `/${oneLine(command)}${shape === "" ? "" : ` ${oneLine(shape)}`}${description === undefined ? "" : `: ${oneLine(description)}`}`;
}
