import type { HookSettings, HooksSettings, SettingsProblem } from "@haft/core/policy";
import { EVENT_RULES, type LiveEvent } from "./occasion.ts";
import { runCommand } from "./run/command.ts";
import type { Ended, Running } from "./run/ended.ts";
import { postEvent } from "./run/http.ts";

/** One `hooks` entry of the settings, ready to run. */
export interface Handler {
  /** Display name: the command or the address. */
  readonly name: string;
  /** Handlers with the same key are identical and run once per event. */
  readonly key: string;
  readonly timeoutMs: number;
  /** It runs in the background: nobody waits for it, and it decides nothing. */
  readonly async: boolean;
  /** It runs once per session. */
  readonly once: boolean;
  /** Effect of its failure, if its entry sets one. */
  readonly onFailure?: OnFailure | undefined;
  run(running: Running): Promise<Ended>;
}

/** Effect of a guard's failure: a person is asked, it counts as a no, or it counts as no answer. */
export type OnFailure = NonNullable<HooksSettings["onFailure"]>;

const FAILURE_WORDS: Readonly<Record<string, OnFailure>> = {
  ask: "ask",
  deny: "deny",
  block: "deny",
  pass: "pass",
  continue: "pass",
};

/** A problem of an entry, before the entry's location is known. */
export type Complaint = Pick<SettingsProblem, "message" | "cure">;

/** The longest timeout of Node's timers. */
const MOST_MS = 2 ** 31 - 1;

/**
 * Reads one entry. An unsupported kind of hook gives a complaint and no handler. An entry that lacks a required field
 * gives a handler that fails, so that a guard with a mistake still blocks.
 */
export function readHandler(event: LiveEvent, written: HookSettings): { handler?: Handler; complaint?: Complaint } {
  const { type, statusMessage: _, if: __, ...rest } = written;
  const seconds = typeof written.timeout === "number" ? written.timeout : EVENT_RULES[event].timeout;
  const timeoutMs = Math.min(seconds, EVENT_RULES[event].mostTime ?? seconds) * 1000;
  const common = {
    key: JSON.stringify([type, rest]),
    timeoutMs: Math.min(timeoutMs, MOST_MS),
    async: written.async === true || written.asyncRewake === true,
    once: written.once === true,
    onFailure: FAILURE_WORDS[String(written.onFailure)],
  };
  if (type === "command") return commandHandler(written, common);
  if (type === "http") return httpHandler(written, common);
  return {
    complaint: {
      message: `Hooks of type ${type} do not run in Haft; this one of ${event} is left out.`,
      cure: "Use a command or an http hook, or a rule under permissions.",
    },
  };
}

type Common = Omit<Handler, "name" | "run">;

function commandHandler(written: HookSettings, common: Common): { handler: Handler; complaint?: Complaint } {
  const { command, args, shell } = written;
  // A plugin's hook has variables of its own.
  const own = (written.env ?? {}) as Readonly<Record<string, string>>;
  if (typeof command !== "string") return failing(common, "command", "It has no command to run.", "Add a command.");
  const argv = (env: Running["env"]): string[] =>
    Array.isArray(args)
      ? [command, ...args.map(String)].map((word) => withFolders(word, env))
      : [typeof shell === "string" ? shell : "sh", "-c", command];
  const handler: Handler = {
    ...common,
    name: shortened(Array.isArray(args) ? [command, ...args].join(" ") : command),
    run: (running) => runCommand(argv(running.env), { ...running, env: { ...running.env, ...own } }),
  };
  if (written.asyncRewake !== true) return { handler };
  return {
    handler,
    complaint: {
      message: `The hook "${handler.name}" runs in the background, but asyncRewake does not wake the model.`,
      cure: "Remove async and asyncRewake if the model needs the result.",
    },
  };
}

function httpHandler(written: HookSettings, common: Common): { handler: Handler; complaint?: Complaint } {
  const address = String(written.url ?? "");
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    return failing(
      common,
      "http",
      `"${address}" is not an http address.`,
      "Write a url that begins with http:// or https://.",
    );
  const target = {
    url,
    headers: (written.headers ?? {}) as Readonly<Record<string, string>>,
    allowedEnvVars: (written.allowedEnvVars ?? []) as readonly string[],
  };
  // Addresses carry secrets in their user part and query.
  const name = shortened(`${url.protocol}//${url.host}${url.pathname}`);
  return { handler: { ...common, name, run: (running) => postEvent(target, running) } };
}

function failing(common: Common, name: string, message: string, cure: string) {
  const handler: Handler = { ...common, name, run: async () => ({ how: "failed", why: message }) };
  return { handler, complaint: { message, cure } };
}

/** Expands the folder variables, because no shell does it here. */
const withFolders = (word: string, env: Running["env"]): string =>
  word.replaceAll(/\$\{((?:CLAUDE|HAFT)_PROJECT_DIR)\}/g, (_, name: string) => env[name] ?? "");

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
