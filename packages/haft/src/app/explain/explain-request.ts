import { dialectNamed, dialectNames } from "@haft/core/dialect";
import { type Mode, modeNamed, type Origin, SETTINGS_PRECEDENCE } from "@haft/core/policy";
import { nearest } from "@haft/core/schema";
import { isWithin, normalize, toPosix } from "@haft/core/tool";
import type { RuleTexts } from "../haft.ts";
import type { McpMeta } from "./explain-tools.ts";

/** One line of `explain --jsonl`: a call, and values that replace those of the settings and this machine. */
export interface ExplainRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly rules: RuleTexts;
  readonly source: { readonly origin: Origin; readonly file?: string };
  readonly place: Place;
  readonly mode?: Mode;
  readonly trusted: boolean;
  readonly mcpMeta: McpMeta;
  readonly warnings: readonly string[];
}

/** The place of the call. An absent field takes its value from the others, and finally from this machine. */
export interface Place {
  readonly projectRoot?: string;
  readonly startedIn?: string;
  readonly cwd?: string;
  readonly home?: string;
  readonly platform?: string;
  readonly additionalDirectories: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

const keys = [
  "tool",
  "input",
  "rules",
  "ruleSource",
  "projectRoot",
  "startedIn",
  "cwd",
  "home",
  "platform",
  "mode",
  "trusted",
  "additionalDirectories",
  "sandbox",
  "mcpMeta",
  "dialect",
] as const;

const origins: readonly Origin[] = [...SETTINGS_PRECEDENCE, "session"];

/** A line with a value that cannot be right. */
export class UnreadableLine extends Error {
  override name = "UnreadableLine";
}

/**
 * Reads a line. An unknown key is a warning. A known key with a wrong value is an error: ignoring it would decide about a
 * different call.
 */
export function readExplainRequest(value: unknown): ExplainRequest {
  if (!isObject(value)) throw new UnreadableLine("The line must be an object with a tool and its input.");
  const warnings = Object.keys(value)
    .filter((key) => !keys.some((known) => known === key))
    .map(unknownKey);
  const rulesApart = ["allow", "ask", "deny", "permissions"].find((key) => Object.hasOwn(value, key));
  if (rulesApart !== undefined)
    throw new UnreadableLine(
      `"${rulesApart}" is not allowed here: write "rules": {"allow": [], "ask": [], "deny": []}.`,
    );
  const { tool, input = {} } = value;
  if (typeof tool !== "string" || tool === "") throw new UnreadableLine('"tool" must be the name of a tool.');
  const dialect = optionalText(value, "dialect");
  if (dialect !== undefined && !dialectNames.includes(dialect))
    throw new UnreadableLine(`There is no dialect "${dialect}"; known: ${dialectNames.join(", ")}.`);
  const names = dialect === undefined ? undefined : dialectNamed(dialect);
  const place = readPlace(value);
  const mode = readMode(value);
  if (isSandboxed(value)) warnings.push("decided without a sandbox: it does not affect rules and modes");
  return {
    tool: names?.toolOf(tool) ?? tool,
    input: names?.input(tool, input) ?? input,
    rules: readRules(value.rules),
    source: readSource(optionalText(value, "ruleSource"), place),
    place,
    ...(mode ? { mode } : {}),
    trusted: optionalBoolean(value, "trusted") ?? true,
    mcpMeta: readMeta(value.mcpMeta),
    warnings,
  };
}

function unknownKey(key: string): string {
  const close = nearest(key, keys);
  return `unknown key "${key}" was ignored${close ? `; did you mean "${close}"?` : ""}`;
}

function readPlace(value: Raw): Place {
  const home = optionalPath(value, "home");
  const [projectRoot, startedIn, cwd] = ["projectRoot", "startedIn", "cwd"].map((key) =>
    optionalPath(value, key, home),
  );
  const platform = optionalText(value, "platform");
  const additional = optionalTexts(value.additionalDirectories, "additionalDirectories") ?? [];
  return {
    ...(projectRoot === undefined ? {} : { projectRoot }),
    ...(startedIn === undefined ? {} : { startedIn }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(home === undefined ? {} : { home }),
    ...(platform === undefined ? {} : { platform }),
    additionalDirectories: additional,
  };
}

function readMode(value: Raw): Mode | undefined {
  const name = optionalText(value, "mode");
  if (name === undefined) return undefined;
  return modeNamed(name) ?? unreadable(`There is no mode "${name}".`);
}

function readRules(value: unknown): RuleTexts {
  if (value === undefined) return {};
  if (!isObject(value)) throw new UnreadableLine('"rules" must be an object of lists: allow, ask, deny.');
  const foreign = Object.keys(value).find((key) => !["allow", "ask", "deny"].includes(key));
  if (foreign !== undefined)
    throw new UnreadableLine(`"rules.${foreign}" is not a list of rules; use allow, ask, deny.`);
  const { allow, ask, deny } = value;
  return {
    allow: optionalTexts(allow, "rules.allow") ?? [],
    ask: optionalTexts(ask, "rules.ask") ?? [],
    deny: optionalTexts(deny, "rules.deny") ?? [],
  };
}

/** An origin by name, or the path of a settings file whose location determines the origin. */
function readSource(
  source: string | undefined,
  { projectRoot, startedIn, cwd, home }: Place,
): ExplainRequest["source"] {
  if (source === undefined) return { origin: "cli" };
  const named = origins.find((origin) => origin === source);
  if (named) return { origin: named };
  const file =
    absolute(source, home) ?? unreadable(`"ruleSource" must be an absolute path or one of ${origins.join(", ")}.`);
  const root = projectRoot ?? startedIn ?? cwd;
  if (file.startsWith("/etc/")) return { origin: "managed", file };
  if (root !== undefined && isWithin(root, file))
    return { origin: file.endsWith(".local.json") ? "local" : "project", file };
  return { origin: home !== undefined && isWithin(home, file) ? "user" : "cli", file };
}

/** The mark with which a server demands that a person be asked before each call of a tool. */
const CONSENT = "anthropic/requiresUserInteraction";

function readMeta(value: unknown): McpMeta {
  if (value === undefined) return {};
  if (!isObject(value)) throw new UnreadableLine('"mcpMeta" must be an object.');
  const hints = isObject(value.annotations) ? value.annotations : value;
  const marks = [value, ...(isObject(value._meta) ? [value._meta] : [])];
  return {
    ...(typeof hints.readOnlyHint === "boolean" ? { readOnlyHint: hints.readOnlyHint } : {}),
    ...(marks.some((mark) => mark[CONSENT] === true || mark.requiresUserInteraction === true)
      ? { needsPerson: true }
      : {}),
  };
}

function isSandboxed({ sandbox }: Raw): boolean {
  if (sandbox === undefined || sandbox === "none") return false;
  if (sandbox === "bwrap" || isObject(sandbox)) return true;
  throw new UnreadableLine('"sandbox" must be "none", "bwrap" or an object.');
}

function optionalPath(value: Raw, key: string, home?: string): string | undefined {
  const path = optionalText(value, key);
  return path === undefined ? undefined : (absolute(path, home) ?? unreadable(`"${key}" must be an absolute path.`));
}

function absolute(path: string, home: string | undefined): string | undefined {
  const expanded = home !== undefined && (path === "~" || path.startsWith("~/")) ? `${home}${path.slice(1)}` : path;
  const posix = toPosix(expanded);
  return posix.startsWith("/") ? normalize(posix) : undefined;
}

function optionalText(value: Raw, key: string): string | undefined {
  const text = value[key];
  return text === undefined || typeof text === "string" ? text : unreadable(`"${key}" must be a string.`);
}

function optionalBoolean(value: Raw, key: string): boolean | undefined {
  const answer = value[key];
  return answer === undefined || typeof answer === "boolean" ? answer : unreadable(`"${key}" must be true or false.`);
}

function optionalTexts(value: unknown, key: string): string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new UnreadableLine(`"${key}" must be a list of strings.`);
}

const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);

function unreadable(message: string): never {
  throw new UnreadableLine(message);
}
