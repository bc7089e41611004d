import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { McpServerSettings } from "@haft/core/policy";
import { textOfFile } from "@haft/host/whole-file";
import { describeServer } from "@haft/mcp";
import { withDefaults } from "@haft/plugins";
import { real } from "../../../../app/workspace.ts";
import { oneLine, visible } from "../../../../draw/sanitize.ts";
import { agrees } from "../../../agent-file/file-change.ts";
import { EXIT, UsageError } from "../../../exit-code.ts";
import type { CommonOptions } from "../../../options.ts";
import { processTerminal } from "../../../terminal/terminal.ts";
import { answersFor } from "../../plugin/answers.ts";
import { addFrom } from "../../plugin/plugin.ts";
import { knownServers } from "../known.ts";
import { assertName, saveServer, scopeNamed } from "../save.ts";
import { openRegistry } from "./client.ts";
import { type Answers, type ServerJson, serverJsonIn } from "./server-json.ts";
import { BUNDLE, isRegistryName } from "./source.ts";
import { isWay, type Way, waysOf } from "./ways.ts";

/** A larger file is not a server.json. */
const MOST_BYTES = 1_000_000;

/** The options of `haft mcp add SOURCE`. */
export interface SourceOptions {
  readonly scope?: string;
  readonly name?: string;
  /** The kind of package, or `remote`. */
  readonly from?: string;
  readonly yes?: true;
  readonly unconfined?: true;
  readonly sandbox?: true;
  /** `KEY=VALUE`. */
  readonly given: readonly string[];
}

/** Adds a server from a bundle, a server.json or the registry. The command is shown before it counts. */
export async function addSource(common: CommonOptions, source: string, own: SourceOptions): Promise<number> {
  if (BUNDLE.test(source)) return addBundle(common, source, own);
  const server = await serverOf(common, source);
  const { print, tell } = processTerminal();
  const all = waysOf(server);
  await print(`${server.name} ${oneLine(server.version)}\n${oneLine(server.description)}\n`);
  if (server.isDeprecated) tell("Its author has marked it as deprecated.\n");
  for (const way of all.filter((one) => "why" in one))
    tell(`Not available: ${oneLine(way.title)}: ${oneLine(way.why)}.\n`);
  const way = chosen(all.filter(isWay), own.from, server);
  if (way.bundle) return addBundle(common, way.bundle.url, own, way.bundle.sha256);
  const name = own.name ?? localName(server.name);
  assertName(name);
  const how = { before: {}, cwd: real(common.cwd), home: real(homedir()), flag: "-e" };
  const answers = await answersFor(way.options, { ...how, given: own.given });
  const texts = Object.fromEntries(
    Object.entries(withDefaults(way.options, answers)).map(([key, value]) => [key, String(value)]),
  );
  const scope = scopeNamed(own.scope ?? "local");
  const secrets = way.options.filter(({ sensitive }) => sensitive).map(({ key }) => key);
  const open = secrets.find((key) => texts[key] !== undefined && !texts[key].includes("${"));
  if (scope === "project" && open !== undefined)
    throw new UsageError(
      `${open} is a secret, and .mcp.json is shared.`,
      `Name a variable of the environment instead: -e ${open}='\${${open}}'. Or use --scope user.`,
    );
  const full: McpServerSettings = { ...way.server(texts), ...(own.sandbox ? { sandbox: true } : {}) };
  const hidden = way.server(masked(texts, secrets));
  await print(`${visible(describeServer({ ...full, ...hidden, name, origin: "user" }))}\n`);
  if (own.yes !== true && !(await agrees(`Add ${oneLine(name)}?`))) return EXIT.failed;
  await saveServer(common, name, full, scope);
  return EXIT.ok;
}

/** A bundle is a plugin with one server: shown, rehearsed and pinned as plugins are. */
function addBundle(common: CommonOptions, source: string, own: SourceOptions, sha256?: string): Promise<number> {
  if (own.scope !== undefined && own.scope !== "user")
    throw new UsageError("A bundle is always added for all your folders.", "Leave --scope out.");
  const { yes, unconfined } = own;
  return addFrom(
    { common, words: [], own: { config: own.given, ...(yes ? { yes } : {}), ...(unconfined ? { unconfined } : {}) } },
    source,
    sha256 === undefined ? {} : { sha256 },
  );
}

async function serverOf(common: CommonOptions, source: string): Promise<ServerJson> {
  const file = resolve(common.cwd, source);
  if (!existsSync(file)) {
    if (!isRegistryName(source)) throw new UsageError(`There is no file ${oneLine(file)}.`, "Check its path.");
    const [, name = "", version] = /^([^@]+)(?:@(.+))?$/.exec(source) ?? [];
    return openRegistry(knownServers(common).settings).server(name, version);
  }
  let value: unknown;
  try {
    value = JSON.parse(textOfFile(file, MOST_BYTES) ?? "");
  } catch (thrown) {
    throw new UsageError(`${oneLine(file)} cannot be read: ${(thrown as Error).message}.`, "Name a server.json.");
  }
  const server = serverJsonIn(value);
  if (server) return server;
  throw new UsageError(`${oneLine(file)} is not a server.json.`, 'It needs a "name" such as io.github.owner/server.');
}

/** The way that is meant: the named kind, or the first. */
function chosen(ways: readonly Way[], kind: string | undefined, { name }: ServerJson): Way {
  const found = kind === undefined ? ways[0] : ways.find((way) => way.kind === kind);
  if (found) return found;
  const kinds = [...new Set(ways.map((way) => way.kind))].join(", ");
  throw new UsageError(
    kinds === "" ? `${name} cannot be started here.` : `${name} is not available from "${oneLine(kind ?? "")}".`,
    kinds === "" ? "Choose another server." : `It has: ${kinds}.`,
  );
}

/** `io.github.owner/weather` is called `weather` here. */
const localName = (name: string): string =>
  name
    .split("/")
    .at(-1)!
    .replaceAll(/[^\w.-]/g, "-")
    .slice(0, 60);

const masked = (answers: Answers, secrets: readonly string[]): Answers =>
  Object.fromEntries(Object.entries(answers).map(([key, value]) => [key, secrets.includes(key) ? "***" : value]));
