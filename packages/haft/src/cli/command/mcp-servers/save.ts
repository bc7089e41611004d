import type { McpServerSettings } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { nearest } from "@haft/core/schema";
import { needsConsent, openConsent } from "../../../app/mcp/consent.ts";
import { makeLocalFolder } from "../../../app/settings/local-file.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { namesServer, putServer, type Scope, scopeFile, scopes } from "./config-file.ts";
import { knownServers } from "./known.ts";
import { ADD_USAGE } from "./usage.ts";

/**
 * Adds a server to the settings of a scope and prints it. A person has typed or seen it, so it needs no further consent.
 *
 * @throws UsageError when it cannot be a server, or the name is taken.
 */
export async function saveServer(
  common: CommonOptions,
  name: string,
  server: McpServerSettings,
  scope: Scope,
): Promise<void> {
  if (scope === "project" && server.trusted)
    throw new UsageError("A project cannot mark its own servers as trusted.", "Use --scope local or --scope user.");
  const known = knownServers({ ...common, trust: true });
  const file = scopeFile(scope, known);
  assertSound(file, name, server);
  if (namesServer(file, name))
    throw new UsageError(`${file} has a server "${name}" already.`, `Remove it first: haft mcp remove ${name}.`);
  if (scope === "local") makeLocalFolder(known.root);
  putServer(file, name, server);
  // Read it back as a session will, so that it is the same server then.
  const written = knownServers({ ...common, trust: true }).servers.find((server) => server.name === name);
  if (written && needsConsent(written)) openConsent(known.state, known.root).give(written);
  const isWithheld = knownServers(common).withheld.some((server) => server.name === name);
  const next = isWithheld
    ? "This folder is not trusted, so its servers do not start yet: haft trust"
    : `Test it: haft mcp get ${name}`;
  await processTerminal().print(`Added ${oneLine(name)} to ${oneLine(file)}\n${next}\n`);
}

/** @throws UsageError for a name that no server can have. */
export function assertName(name: string): void {
  if (!/^[A-Za-z0-9_.-]{1,60}$/.test(name) || name === "__proto__")
    throw new UsageError(`"${name}" cannot be a server's name.`, "Use letters, digits, _ . and -, at most 60.");
}

/** The scope of that name. */
export function scopeNamed(name: string): Scope {
  const found = scopes.find((scope) => scope === name);
  if (found) return found;
  const close = nearest(name, scopes);
  throw new UsageError(`There is no scope "${name}".`, close ? `Did you mean ${close}?` : `Use ${scopes.join(", ")}.`);
}

/** Refuses invalid settings: every command that reads them would fail, including this one. */
function assertSound(file: string, name: string, server: McpServerSettings): void {
  const { problems } = parseSettings({ mcpServers: { [name]: server } }, { origin: "user", file });
  const [worst] = problems.filter(({ severity }) => severity === "error");
  if (worst)
    throw new UsageError(
      `This cannot be a server: ${oneLine(worst.message)}`,
      `Usage: haft ${ADD_USAGE.join("\n       haft ")}`,
    );
}
