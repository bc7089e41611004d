import { homedir } from "node:os";
import { nearest } from "@haft/core/schema";
import { describeServer } from "@haft/mcp";
import { trustStore } from "@haft/service";
import { real } from "../../../../app/workspace.ts";
import { oneLine, visible } from "../../../../draw/sanitize.ts";
import { agrees } from "../../../agent-file/file-change.ts";
import type { Command } from "../../../command.ts";
import { EXIT, UsageError } from "../../../exit-code.ts";
import { readOptions } from "../../../options.ts";
import { processTerminal } from "../../../terminal/terminal.ts";
import { namesServer, scopeFile } from "../config-file.ts";
import { knownServers } from "../known.ts";
import { assertName, saveServer, scopeNamed } from "../save.ts";
import { FOREIGN_CONFIGS, type ForeignConfig } from "./agents.ts";
import { readServers } from "./read-servers.ts";

/**
 * `haft mcp import AGENT`: shows each server that another program lists, and adds those that a person agrees to. The
 * project's own list is read only in a trusted folder.
 */
export const importServers: Command = async (args) => {
  const { common, own, words } = readOptions(args, { scope: "string", yes: "boolean" }, 1);
  const config = configNamed(words[0]);
  const terminal = processTerminal();
  const known = knownServers({ ...common, trust: true });
  const isTrusted = common.trust || trustStore(known.state).isTrusted(known.cwd);
  const projects = config.project(known.root);
  const found = [
    ...config.home(real(homedir())).flatMap((file) => readServers(file, config)),
    ...(isTrusted ? projects.flatMap((file) => readServers(file, config)) : []),
  ];
  if (!isTrusted && projects.some((file) => readServers(file, config).length > 0))
    terminal.tell("This project lists servers too. They are read after haft trust.\n");
  const scope = scopeNamed(own.scope ?? "user");
  const file = scopeFile(scope, known);
  if (found.length === 0) await terminal.print(`${oneLine(words[0]!)} lists no servers.\n`);
  for (const { name, server, why, file: from } of found) {
    const place = `${oneLine(name)} (${oneLine(from)})`;
    if (!server) {
      terminal.tell(`Left out: ${place}: ${why}.\n`);
      continue;
    }
    if (namesServer(file, name)) {
      terminal.tell(`Left out: ${place}: ${oneLine(file)} has a server of this name.\n`);
      continue;
    }
    assertName(name);
    await terminal.print(`${place}\n${visible(describeServer({ ...server, name, origin: "user" }))}\n`);
    if (own.yes === true || (await agrees(`Add ${oneLine(name)}?`))) await saveServer(common, name, server, scope);
  }
  return EXIT.ok;
};

/** The program of that name. */
export function configNamed(name: string | undefined): ForeignConfig {
  if (name !== undefined && Object.hasOwn(FOREIGN_CONFIGS, name)) return FOREIGN_CONFIGS[name]!;
  const names = Object.keys(FOREIGN_CONFIGS);
  const close = name === undefined ? undefined : nearest(name, names);
  throw new UsageError(
    name === undefined ? "Which program?" : `The lists of "${oneLine(name)}" are not known.`,
    close ? `Did you mean ${close}?` : `Known: ${names.join(", ")}.`,
  );
}
