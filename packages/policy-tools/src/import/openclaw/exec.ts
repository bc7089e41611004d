import type { Draft } from "../draft.ts";
import type { Place } from "../imported.ts";
import { isObject, type Raw } from "../json.ts";
import { commandRule } from "../specifier/command.ts";

/** Reads `tools.exec`: which commands may run, and when they ask. */
export function takeExec(draft: Draft, exec: unknown, place: Place): void {
  if (exec === undefined) return;
  if (!isObject(exec)) {
    draft.note("error", place, "It must be an object.");
    return;
  }
  const { security, ask, mode, ...rest } = exec;
  takeSecurity(draft, mode === undefined ? { security, ask } : fromMode(mode), place);
  const names = Object.keys(rest);
  if (names.length > 0) draft.note("notice", place, `Left out: ${names.join(", ")}. Calls that they would allow ask.`);
}

interface Security {
  readonly security?: unknown;
  readonly ask?: unknown;
}

/** The newer single value for the pair. An unknown value asks about every command. */
function fromMode(mode: unknown): Security {
  if (mode === "deny") return { security: "deny" };
  if (mode === "full") return { security: "full", ask: "off" };
  if (mode === "allowlist") return { security: "allowlist", ask: "off" };
  return mode === "ask" || mode === "auto" ? { security: "allowlist", ask: "on-miss" } : { ask: "always" };
}

function takeSecurity(draft: Draft, { security, ask }: Security, place: Place): void {
  if (security === "deny") {
    commandRule(draft, "deny", "*", place);
    return;
  }
  if (ask === "always" || (ask !== undefined && ask !== "off" && ask !== "on-miss")) {
    commandRule(draft, "ask", "*", place);
    return;
  }
  if (security === "full") {
    commandRule(draft, "allow", "*", place);
    return;
  }
  if (ask !== "off") return;
  // An unmatched command is denied there without asking. Haft's only mode that does so applies to all tools.
  draft.mode("dontAsk");
  draft.note(
    "warning",
    place,
    "Made stricter: sessions start in the mode dontAsk, which refuses everything that no rule allows, including edits.",
  );
}

/** Whether a file contains exec approvals and not a configuration. */
export const isApprovals = (file: Raw): boolean =>
  file.tools === undefined && (isObject(file.defaults) || Array.isArray(file.allowlist) || isApproving(file.agents));

const isApproving = (agents: unknown): boolean =>
  isObject(agents) && Object.values(agents).some((agent) => isObject(agent) && Array.isArray(agent.allowlist));

/** Reads the file of exec approvals: the lists of the main agent and of every agent. */
export function takeApprovals(draft: Draft, file: Raw): void {
  const agents = isObject(file.agents) ? file.agents : {};
  const taken = ["*", "main", "default"].flatMap((name) => (isObject(agents[name]) ? [agents[name] as Raw] : []));
  const defaults = isObject(file.defaults) ? file.defaults : {};
  // A missing value is the strictest there, too.
  for (const scope of [defaults, ...taken]) {
    const { security, ask } = scope;
    if (security !== undefined || ask !== undefined)
      takeSecurity(draft, { security: security === "full" ? undefined : security, ask }, { from: "security, ask" });
  }
  for (const name of Object.keys(agents).filter((name) => !["*", "main", "default"].includes(name)))
    draft.note("notice", { from: `agents.${name}` }, "Left out: the list of one agent.");
  for (const scope of [file, ...taken])
    if (Array.isArray(scope.allowlist)) for (const entry of scope.allowlist) takeProgram(draft, entry);
}

/** Adds a program by name or by its full path. Globs over paths would cover more than a command shows. */
function takeProgram(draft: Draft, entry: unknown): void {
  const pattern = isObject(entry) ? entry.pattern : entry;
  if (typeof pattern !== "string") {
    draft.note("warning", { from: JSON.stringify(entry) }, "Left out, so it asks: no pattern.");
    return;
  }
  const place = { from: pattern };
  if (isObject(entry) && ["argPattern", "argvHash", "argv"].some((key) => entry[key] !== undefined)) {
    draft.note("warning", place, "Left out, so it asks: conditions on the arguments cannot be expressed.");
    return;
  }
  if (!/^(?:\/[\w.@+-]+)+$|^[\w.@+-]+$/.test(pattern)) {
    draft.note("warning", place, "Left out, so it asks: only a name or a whole path can stand for a program.");
    return;
  }
  draft.rule("allow", `Bash(${pattern} *)`, place);
}
