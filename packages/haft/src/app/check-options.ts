import type { CallRequest } from "@haft/core/executor";
import { modes } from "@haft/core/policy";
import { nearest } from "@haft/core/schema";
import { HaftError } from "@haft/core/tool";
import type { QueueOptions } from "@haft/workers";
import type { AgentScope, CallOptions, HaftOptions, RuleTexts } from "./haft.ts";

// Validates options from untyped callers. Otherwise a misspelt key or a rule that is not a list would be ignored silently,
// or fail far away from its cause.

/** A check for a value, and its description in an error. */
interface Kind {
  readonly words: string;
  is(value: unknown): boolean;
}

/** All known keys, each with its check. */
type Kinds<T> = Readonly<Record<keyof T, Kind>>;

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text: Kind = { words: "text", is: (value) => typeof value === "string" && value !== "" };
const anyText: Kind = { words: "text", is: (value) => typeof value === "string" };
const flag: Kind = { words: "true or false", is: (value) => typeof value === "boolean" };
const number: Kind = { words: "a number above 0", is: (value) => typeof value === "number" && value > 0 };
const callable: Kind = { words: "a function", is: (value) => typeof value === "function" };
const object: Kind = { words: "an object", is: isObject };
const signal: Kind = {
  words: "an AbortSignal",
  is: (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
};
const only = (...values: readonly unknown[]): Kind => ({
  words: values.map((value) => JSON.stringify(value)).join(", "),
  is: (value) => values.includes(value),
});
const listOf = (kind: Kind, words: string): Kind => ({
  words,
  is: (value) => Array.isArray(value) && value.every(kind.is),
});
const either = (...kinds: readonly Kind[]): Kind => ({
  words: kinds.map(({ words }) => words).join(" or "),
  is: (value) => kinds.some(({ is }) => is(value)),
});

const names = listOf(text, "a list of names");
const ruleList = listOf(text, "a list of rules, each a string");
const mode: Kind = { ...only(...modes), words: `one of ${modes.join(", ")}` };
const rules: Kind = { ...object, words: "an object with the rule lists allow, ask and deny" };
const amount: Kind = { words: "a number from 0", is: (value) => typeof value === "number" && value >= 0 };
const BUDGET: Kinds<NonNullable<HaftOptions["budget"]>> = { tokens: amount, money: amount };
const RULES: Kinds<RuleTexts> = { allow: ruleList, ask: ruleList, deny: ruleList };

/** An object with these functions. */
const having = (...functions: readonly string[]): Kind => ({
  words: `an object with the functions ${functions.join(", ")}`,
  is: (value) => isObject(value) && functions.every((name) => callable.is((value as Record<string, unknown>)[name])),
});

const hostPorts: Kind = {
  words: "an object with the ports files and processes",
  is: (value) =>
    isObject(value) && ["files", "processes"].every((name) => isObject((value as Record<string, unknown>)[name])),
};

const OPTIONS: Kinds<HaftOptions> = {
  cwd: text,
  tools: either(
    only("coding", "read-only"),
    listOf({ words: "a tool", is: (value) => isObject(value) || typeof value === "function" }, "a list of tools"),
  ),
  mode,
  rules,
  ask: either(only("host"), callable),
  settings: either(only(false), text, object),
  settingsFiles: only(false, "own"),
  mcpServers: only(false, "served"),
  model: text,
  agent: text,
  dialect: either(text, object),
  fallbackModel: text,
  budget: object,
  openModel: callable,
  browser: object,
  channels: object,
  canvas: object,
  withoutUserSettings: flag,
  trusted: flag,
  session: anyText,
  stateDir: either(only(false), text),
  lookOnly: flag,
  journal: either(only(false), having("held", "forced", "undo"), having("change", "command", "undo", "redo")),
  host: hostPorts,
  approvals: having("list", "put"),
  record: having("read", "append"),
  spill: having("write", "read"),
  shell: object,
  hooks: listOf(object, "a list of hooks"),
  hookCallbacks: object,
  concurrency: only("effects", "partition", "strict"),
  loopGuard: flag,
  onEvent: callable,
  onNotice: callable,
  home: text,
  env: object,
  queue: either(text, { ...object, words: "an object with the options of a queue" }),
  approvalTimeoutMs: number,
};
const NARROWING: Kinds<AgentScope> = {
  tools: names,
  rules,
  mode,
  agent: object,
  only: callable,
  apart: flag,
  effects: listOf(text, "a list of rules, each a string"),
};
const CALL_OPTIONS: Kinds<CallOptions> = { id: text, messageId: text, signal, onUpdate: callable, isProgram: flag };

/** An object with no other keys than these. */
const made = (kinds: Readonly<Record<string, Kind>>): Kind["is"] => {
  return (value) => isObject(value) && Object.entries(value).every(([key, one]) => kinds[key]?.is(one) === true);
};
const isPlacement = made({ tool: text, effect: text, command: text, on: either(only("host"), names) });
const QUEUE: Kinds<QueueOptions> = {
  ...{ url: text, keyFile: text, name: text, tenant: text, store: text, startWithinMs: number, maxJobBytes: number },
  withoutWorker: only("wait", "host"),
  placement: listOf(
    { words: "", is: (value) => isPlacement(value) && "on" in (value as object) },
    'a list of rules with on ("host" or labels), and with tool, effect or command',
  ),
  limits: listOf(
    { words: "", is: made({ tool: text, tenant: text, concurrent: number, perSecond: number }) },
    "a list of limits with concurrent or perSecond, and with tool or tenant",
  ),
};

/** @throws HaftError `validation_failed` for an unknown key or an invalid value. */
export function checkQueue(where: string, queue: QueueOptions, place?: string): void {
  check(where, queue, QUEUE, place);
  if (queue.url === undefined)
    throw misused(where, place === undefined ? "url" : `${place}.url`, undefined, "an address");
}

/** @throws HaftError `validation_failed` for an unknown key or an invalid value. */
export async function checkOptions(options: HaftOptions): Promise<void> {
  check("createHaft", options, OPTIONS);
  if (options.rules !== undefined) check("createHaft", options.rules, RULES, "rules");
  if (options.budget !== undefined) check("createHaft", options.budget, BUDGET, "budget");
  if (typeof options.queue === "object") checkQueue("createHaft", options.queue, "queue");
  if (options.shell !== undefined) await checkAsSetting("shell", options.shell);
}

/** An option that is also a setting has the shape of that setting. A key without a value counts as absent. */
async function checkAsSetting(key: "shell", value: object): Promise<void> {
  const { checkShape, SETTINGS_SCHEMA } = await import("@haft/core/policy/settings");
  const given = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
  const [issue] = checkShape(given, SETTINGS_SCHEMA.properties![key]!, [key]);
  if (!issue) return;
  throw new HaftError({ code: "validation_failed", message: `createHaft: ${issue.message}`, hint: issue.cure });
}

/** @throws HaftError `validation_failed` as for options, because a misspelt key would not narrow. */
export function checkNarrowing(narrowing: AgentScope): void {
  check("with", narrowing, NARROWING);
  if (narrowing.rules !== undefined) check("with", narrowing.rules, RULES, "rules");
}

/** @throws HaftError `validation_failed` if this is not a list of calls. The pipeline judges what a model wrote. */
export function checkCalls(calls: readonly CallRequest[]): void {
  if (!Array.isArray(calls)) throw misused("run", "calls", calls, "a list of calls, each with id, tool and input");
  for (const [at, call] of calls.entries()) checkCall("run", call, `calls[${at}]`);
}

/** @throws HaftError `validation_failed` for a call without an id or a tool. Other fields are allowed. */
export function checkCall(where: string, call: CallRequest, place = "call"): void {
  if (!isObject(call)) throw misused(where, place, call, "an object with id, tool and input");
  for (const key of ["id", "tool"] as const)
    if (typeof call[key] !== "string") throw misused(where, `${place}.${key}`, call[key], "text");
}

/** @throws HaftError `validation_failed` if the tool's name is not a text, or an option of the call is invalid. */
export function checkToolCall(where: string, tool: string, options: CallOptions = {}): void {
  if (typeof tool !== "string") throw misused(where, "tool", tool, "the name of a tool");
  check(where, options, CALL_OPTIONS, "options");
}

function check<T extends object>(where: string, value: T, kinds: Kinds<T>, place?: string): void {
  if (!isObject(value)) throw misused(where, place ?? "the argument", value, "an object");
  for (const [key, given] of Object.entries(value)) {
    const path = place === undefined ? key : `${place}.${key}`;
    const kind = Object.hasOwn(kinds, key) ? kinds[key as keyof T] : undefined;
    if (!kind) throw unknownKey(where, path, key, Object.keys(kinds));
    if (given !== undefined && !kind.is(given)) throw misused(where, path, given, kind.words);
  }
}

const misused = (where: string, key: string, given: unknown, words: string): HaftError =>
  new HaftError({
    code: "validation_failed",
    message: given === undefined ? `${where}: ${key} is missing.` : `${where}: ${key} cannot be ${shown(given)}.`,
    hint: `Give ${words}.`,
  });

function unknownKey(where: string, path: string, key: string, known: readonly string[]): HaftError {
  const meant = nearest(key, known);
  return new HaftError({
    code: "validation_failed",
    message: `${where}: unknown key "${path}".`,
    hint: `${meant === undefined ? "" : `Did you mean "${meant}"? `}Known keys: ${known.join(", ")}.`,
  });
}

/** A short form without an object's contents, because they may be secret. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (Array.isArray(value)) return "this list";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "this object" : String(value);
}
