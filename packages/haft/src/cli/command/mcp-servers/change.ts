import type { McpServerSettings } from "@haft/core/policy";
import { describeServer } from "@haft/mcp";
import { pluginStore } from "@haft/plugins";
import { needsConsent, openConsent } from "../../../app/mcp/consent.ts";
import { openServerGrants } from "../../../app/mcp/server-grants.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { dropServer, namesServer, scopeFile, scopes } from "./config-file.ts";
import { knownServers, serverNamed } from "./known.ts";
import { isSource } from "./registry/source.ts";
import { assertName, saveServer, scopeNamed } from "./save.ts";
import { ADD_USAGE } from "./usage.ts";

const USAGE = `Usage: haft ${ADD_USAGE.join("\n       haft ")}`;

/** `haft mcp add`: adds a server to the settings. A server that the user types here needs no further consent. */
export const add: Command = async (args) => {
  const { pairs, rest } = takePairs(args);
  const own = {
    scope: "string",
    transport: "string",
    timeout: "string",
    trusted: "boolean",
    sandbox: "boolean",
    "client-id": "string",
    "client-secret": "string",
    "callback-port": "string",
    name: "string",
    from: "string",
    yes: "boolean",
    unconfined: "boolean",
  } as const;
  const { common, own: given, words } = readAdd(rest, () => readOptions(rest, own, 200));
  const [name, ...what] = words;
  if (name === undefined) throw new UsageError("Add which server?", USAGE);
  if (what.length === 0 && isSource(name)) {
    const typed = Object.entries({ ...pairs.env, ...pairs.headers }).map(([key, value]) => `${key}=${value}`);
    const { addSource } = await import("./registry/add-source.ts");
    return addSource(common, name, { ...given, given: typed });
  }
  if (what.length === 0) throw new UsageError(`How is "${oneLine(name)}" reached? Give its command or its URL.`, USAGE);
  assertName(name);
  const server = serverFrom(what, given.transport, pairs);
  const more: McpServerSettings = {
    ...server,
    ...(given.timeout === undefined ? {} : { timeoutMs: wholeNumber(given.timeout) }),
    ...(given.trusted ? { trusted: true } : {}),
    ...(given.sandbox ? { sandbox: true } : {}),
    ...oauthFrom(given["client-id"], given["client-secret"], given["callback-port"]),
  };
  if (given.sandbox && server.url !== undefined)
    throw new UsageError(
      "Only a program can be started in the sandbox, and this is an address.",
      "Leave --sandbox out.",
    );
  await saveServer(common, name, more, scopeNamed(given.scope ?? "local"));
  return EXIT.ok;
};

/**
 * Parses the arguments of `haft mcp add`. A command comes after `--`, so that its options are its own; if the `--` is
 * missing, the error says so.
 */
function readAdd<Read extends { readonly words: readonly string[] }>(args: readonly string[], read: () => Read): Read {
  const end = args.indexOf("--");
  const name = args.find((word) => !word.startsWith("-"));
  try {
    const given = read();
    const before = end < 0 ? 1 : given.words.length - (args.length - end - 1);
    if (before <= 1) return given;
    throw new UsageError(
      `"${oneLine(given.words.slice(1, before).join(" "))}" is between the name and the command.`,
      USAGE,
    );
  } catch (thrown) {
    if (end >= 0 || name === undefined || !(thrown instanceof UsageError)) throw thrown;
    const command = args.slice(args.indexOf(name) + 1).map(shellWord);
    if (!/^Unknown option -/.test(thrown.message) || command.length === 0 || command[0]!.startsWith("-")) throw thrown;
    throw new UsageError(
      `${thrown.message.replace(/\.$/, "")} of haft mcp add.`,
      `If it belongs to the command, put -- before the command: haft mcp add ${name} -- ${command.join(" ")}`,
    );
  }
}

const shellWord = (word: string): string =>
  /^[\w./:@=+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** `haft mcp remove NAME`: removes a server from the settings that contain it. */
export const remove: Command = async (args) => {
  const { common, own, words } = readOptions(args, { scope: "string" }, 1);
  const [name] = words;
  if (name === undefined) throw new UsageError("Which server?", "Usage: haft mcp remove NAME [--scope SCOPE].");
  const known = knownServers({ ...common, trust: true });
  const among = own.scope === undefined ? scopes : [scopeNamed(own.scope)];
  const holding = among.filter((scope) => namesServer(scopeFile(scope, known), name));
  if (
    holding.length === 0 &&
    pluginStore(known.state.root)
      .list()
      .some((one) => one.name === name)
  )
    throw new UsageError(`"${name}" is a bundle.`, `Remove it with haft plugin remove ${name}.`);
  if (holding.length === 0) throw new UsageError(`No settings name a server "${name}".`, "See haft mcp list.");
  if (holding.length > 1)
    throw new UsageError(
      `The server "${name}" is in several places: ${holding.join(", ")}.`,
      "Choose one with --scope.",
    );
  const file = scopeFile(holding[0]!, known);
  dropServer(file, name);
  openConsent(known.state, known.root).withdraw(name);
  openServerGrants(known.state.workspace(known.cwd)).forget(name);
  await processTerminal().print(`Removed ${oneLine(name)} from ${oneLine(file)}\n`);
  return EXIT.ok;
};

/** `haft mcp approve NAME`: shows the command of a project's server, and approves it. */
export const approve: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const known = knownServers(common);
  const terminal = processTerminal();
  terminal.tell(known.notices);
  const server = serverNamed(known, words[0]);
  if (needsConsent(server)) openConsent(known.state, known.root).give(server);
  await terminal.print(`${visible(describeServer(server))}\nApproved: ${oneLine(server.name)}\n`);
  return EXIT.ok;
};

/** `haft mcp forget NAME`: revokes permanent permissions for tools, so that they ask again. */
export const forget: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const [name] = words;
  if (name === undefined) throw new UsageError("Which server?", "Usage: haft mcp forget NAME.");
  const { state, cwd } = knownServers(common);
  const rules = openServerGrants(state.workspace(cwd)).forget(name);
  const what = rules.length === 0 ? "nothing was allowed permanently" : `will ask again before ${rules.join(", ")}`;
  await processTerminal().print(`${oneLine(name)}: ${oneLine(what)}\n`);
  return EXIT.ok;
};

interface Pairs {
  readonly env: Record<string, string>;
  readonly headers: Record<string, string>;
}

/** Short names as in `claude mcp add`; those of `--env` and `--header` are parsed with their values. */
const SHORT = new Map([
  ["-s", "--scope"],
  ["-t", "--transport"],
]);

/** Removes `--env` and `--header` first, because they may be repeated. Arguments after `--` belong to the server. */
function takePairs(args: readonly string[]): { readonly pairs: Pairs; readonly rest: readonly string[] } {
  const end = args.indexOf("--");
  const ours = end < 0 ? [...args] : args.slice(0, end);
  const rest: string[] = [];
  const pairs: Pairs = { env: {}, headers: {} };
  for (let index = 0; index < ours.length; index += 1) {
    const long = SHORT.get(ours[index]!);
    if (long) ours[index] = long;
    const [, option, inline] = /^(--env|-e|--header|-H)(?:=(.*))?$/s.exec(ours[index]!) ?? [];
    if (option === undefined) {
      rest.push(ours[index]!);
      continue;
    }
    const text = inline ?? ours[++index] ?? "";
    const isEnv = option === "--env" || option === "-e";
    const [, key, value] =
      (isEnv ? /^([A-Za-z_][\w.-]*)=(.*)$/s : /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/).exec(text) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageError(
        `"${text}" is not a value for ${option}.`,
        isEnv ? "Write KEY=VALUE." : 'Write "KEY: VALUE".',
      );
    (isEnv ? pairs.env : pairs.headers)[key] = value;
  }
  return { pairs, rest: [...rest, ...(end < 0 ? [] : args.slice(end))] };
}

function serverFrom(
  what: readonly string[],
  transport: string | undefined,
  { env, headers }: Pairs,
): McpServerSettings {
  const [first = "", ...args] = what;
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(first);
  const type = transport ?? (isAddress ? "http" : "stdio");
  const hasEnv = Object.keys(env).length > 0;
  const hasHeaders = Object.keys(headers).length > 0;
  if (type === "stdio") {
    if (hasHeaders) throw new UsageError("A command does not use headers.", "Give it --env KEY=VALUE.");
    return { command: first, args, ...(hasEnv ? { env } : {}) };
  }
  if (type !== "http" && type !== "sse")
    throw new UsageError(`There is no transport "${type}".`, "Use stdio, http or sse.");
  if (!/^https?:\/\//i.test(first) || !URL.canParse(first))
    throw new UsageError(`"${oneLine(first)}" is not an address that begins with http:// or https://.`, USAGE);
  if (URL.parse(first)?.username || URL.parse(first)?.password)
    throw new UsageError(
      "A user name or password in the address is not sent to the server.",
      'Give it --header "Authorization: Basic …", or haft mcp login.',
    );
  if (args.length > 0) throw new UsageError(`Nothing may follow the address: ${oneLine(args.join(" "))}`, USAGE);
  if (hasEnv)
    throw new UsageError(
      "A server at an address does not use environment variables.",
      'Give it --header "KEY: VALUE".',
    );
  return { type, url: first, ...(hasHeaders ? { headers } : {}) };
}

function oauthFrom(clientId?: string, clientSecret?: string, port?: string): Pick<McpServerSettings, "oauth"> {
  if (clientSecret !== undefined && clientId === undefined)
    throw new UsageError("--client-secret needs a client.", "Give --client-id too.");
  const oauth = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(port === undefined ? {} : { callbackPort: wholeNumber(port) }),
  };
  return Object.keys(oauth).length > 0 ? { oauth } : {};
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not a whole number.`, "Write --timeout 120000 or --callback-port 3917.");
}
