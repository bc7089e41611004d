import { homedir } from "node:os";
import { parse as parseToml } from "smol-toml";
import { projectRoot, real } from "../../../../app/workspace.ts";
import { oneLine } from "../../../../draw/sanitize.ts";
import { agreesToChange, writeChange } from "../../../agent-file/file-change.ts";
import { parseJsonFile, setJson, textOf } from "../../../agent-file/json-file.ts";
import { ownCommand } from "../../../agent-file/own-command.ts";
import type { Command } from "../../../command.ts";
import { EXIT, UsageError } from "../../../exit-code.ts";
import { readOptions } from "../../../options.ts";
import { processTerminal } from "../../../terminal/terminal.ts";
import { assertName } from "../save.ts";
import type { ForeignConfig } from "./agents.ts";
import { configNamed } from "./import.ts";

/**
 * `haft mcp install AGENT`: puts Haft's own server, or its gateway, into another program's list. Shows the change first and
 * keeps the file's comments. `--remove` takes it out.
 */
export const install: Command = async (args) => {
  const options = {
    project: "boolean",
    gateway: "boolean",
    remove: "boolean",
    yes: "boolean",
    name: "string",
  } as const;
  const { common, own, words } = readOptions(args, options, 1);
  const config = configNamed(words[0]);
  const name = own.name ?? "haft";
  assertName(name);
  const files = own.project ? config.project(projectRoot(real(common.cwd))) : config.home(real(homedir()));
  const file = files.find((one) => textOf(one) !== undefined) ?? files[0];
  if (file === undefined) throw new UsageError(`${words[0]} has no project settings.`, "Leave --project out.");
  const [program, script] = ownCommand();
  const entry = config.write(program, [script, "mcp", ...(own.gateway ? ["--gateway"] : [])]);
  const before = textOf(file);
  const after = withEntry(config, file, before, name, own.remove ? undefined : entry);
  const terminal = processTerminal();
  if (after === (before ?? "")) {
    await terminal.print(`Nothing to do: ${oneLine(file)}\n`);
    return EXIT.ok;
  }
  const edit = { file, before, after };
  if (!(await agreesToChange(edit, own.yes === true))) return EXIT.failed;
  writeChange(edit);
  await terminal.print(own.remove ? "Removed.\n" : `Installed. Restart ${oneLine(words[0]!)} to see its tools.\n`);
  return EXIT.ok;
};

function withEntry(
  { at, format }: ForeignConfig,
  file: string,
  before: string | undefined,
  name: string,
  entry: object | undefined,
): string {
  if (format === "toml") return withTable(file, before ?? "", [...at, name], entry as Table | undefined);
  const value = parseJsonFile(file, before);
  const list = at.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
  if (entry === undefined && !Object.hasOwn((list as object | undefined) ?? {}, name)) return before ?? "";
  return setJson(before ?? "{}\n", [...at, name], entry);
}

type Table = Readonly<Record<string, string | readonly string[]>>;

/** Replaces a table of a TOML file, with the tables below it. The rest stays as it is, with its comments. */
function withTable(file: string, text: string, path: readonly string[], entry: Table | undefined): string {
  const header = path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join(".");
  let isOurs = false;
  const rest = text
    .split("\n")
    .filter((line) => {
      const found = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line)?.[1]?.replaceAll(/\s/g, "");
      if (found !== undefined) isOurs = found === header || found.startsWith(`${header}.`);
      return !isOurs;
    })
    .join("\n");
  const table = entry
    ? `[${header}]\n${Object.entries(entry)
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
        .join("")}`
    : "";
  const after = `${rest.trimEnd()}${rest.trim() === "" || table === "" ? "" : "\n\n"}${table}`;
  const whole = after === "" || after.endsWith("\n") ? after : `${after}\n`;
  try {
    parseToml(whole);
    return whole;
  } catch (thrown) {
    throw new UsageError(
      `${file} cannot be changed: ${(thrown as Error).message.split("\n", 1)[0]}`,
      `Add this by hand:\n${table}`,
    );
  }
}
