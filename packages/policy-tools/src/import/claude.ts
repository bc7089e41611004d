import { type Behavior, builtinToolNames, EFFECT_WORDS, type Mode } from "@haft/core/policy";
import { createDraft, type Draft, refuseMisspelt, unreadable } from "./draft.ts";
import type { Importer, ImportOptions, Place } from "./imported.ts";
import { isBroken, isObject, type Raw, readObject, textsOf } from "./json.ts";

/**
 * Claude Code's settings.json. Haft uses the same rule grammar, so rules are copied unchanged, except for paths relative to
 * a place where the new settings will not be.
 */
export const importClaude: Importer = (text, options = {}) => {
  const file = readObject(text);
  if (isBroken(file)) return unreadable(file.broken, file.line);
  const draft = createDraft();
  refuseMisspelt(draft, file, ["permissions"]);
  const { permissions = {}, ...others } = file;
  if (isObject(permissions)) takePermissions(draft, permissions, options);
  else draft.note("error", { from: "permissions" }, "It must be an object.");
  takeOthers(draft, others, options);
  return draft.finish();
};

function takePermissions(draft: Draft, permissions: Raw, options: ImportOptions): void {
  for (const behavior of ["deny", "ask", "allow"] as const) {
    const { texts, odd } = textsOf(permissions[behavior]);
    if (odd) draft.note("error", at(options, ["permissions", behavior]), "It must be a list of rules.");
    for (const [index, text] of texts.entries())
      takeRule(
        draft,
        behavior,
        text.trim(),
        { ...at(options, ["permissions", behavior, String(index)]), from: text },
        options,
      );
  }
  const { texts: folders } = textsOf(permissions.additionalDirectories);
  for (const folder of folders) draft.directory(folder);
  takeMode(draft, permissions.defaultMode, options);
  if (permissions.disableBypassPermissionsMode === "disable") draft.noBypass();
  const known = ["allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode"];
  refuseMisspelt(draft, permissions, ["deny", "ask", ...known]);
  for (const key of Object.keys(permissions).filter((key) => !known.includes(key)))
    draft.note("warning", at(options, ["permissions", key]), "Left out: Haft has no such setting.");
}

function takeRule(draft: Draft, behavior: Behavior, text: string, place: Place, options: ImportOptions): void {
  const [, name = "", specifier] = /^([^(]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  if (EFFECT_WORDS.some((word) => word === name)) {
    draft.note("notice", place, "Left out: Claude Code has no tool of this name.");
    return;
  }
  if (name === "Cd") {
    draft.note("notice", place, "Left out: it is about a command that people type, not a tool.");
    return;
  }
  if (behavior !== "allow" && isUnknown(name)) {
    draft.rule(behavior, `${name}*`, place);
    draft.note("notice", place, `Haft has no tool of this name yet; "${name}*" would match one.`);
    return;
  }
  const moved = specifier === undefined ? undefined : movedPath(name, specifier, options);
  takeReadable(draft, behavior, moved === undefined ? text : `${name}(${moved})`, place);
}

/** A command pattern with an operator matches nothing. A deny or ask keeps the part before the operator. */
function takeReadable(draft: Draft, behavior: Behavior, text: string, place: Place): void {
  const [, start] = /^Bash\(([^|&;<>\n"'`$\\]*[A-Za-z0-9][^|&;<>\n"'`$\\]*)(?:[|&;<>\n]).*\)$/s.exec(text) ?? [];
  if (behavior === "allow" || start === undefined) {
    draft.rule(behavior, text, place);
    return;
  }
  draft.rule(behavior, `Bash(${start.trim().replace(/[ *]+$/, "")} *)`, place);
  draft.note(
    "warning",
    place,
    "Made stricter: commands are checked one by one, so it matches everything that begins like the first.",
  );
}

/** `/path` is relative to the folder of the settings file, which differs for another file. */
function movedPath(name: string, specifier: string, { scope = "project" }: ImportOptions): string | undefined {
  if (!PATH_TOOLS.has(builtinToolNames.canonical(name) ?? name) || !/^\/(?!\/)/.test(specifier)) return undefined;
  if (scope === "user") return `~/.claude${specifier}`;
  return scope === "local" ? `.${specifier}` : undefined;
}

const PATH_TOOLS: ReadonlySet<string> = new Set(["Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep", "Ls"]);

const isUnknown = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9]*$/.test(name) && builtinToolNames.canonical(name) === undefined;

const MODES: readonly Mode[] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];

function takeMode(draft: Draft, written: unknown, options: ImportOptions): void {
  if (written === undefined) return;
  const mode = MODES.find((one) => one === written);
  const place = at(options, ["permissions", "defaultMode"]);
  if (mode) draft.mode(mode);
  else
    draft.note(
      "warning",
      place,
      `The mode ${JSON.stringify(written)} has no counterpart; sessions start in "default".`,
    );
  if (mode === "bypassPermissions")
    draft.note("warning", place, "Imported unchanged: sessions start in a mode that asks almost nothing.");
}

function takeOthers(draft: Draft, others: Raw, options: ImportOptions): void {
  const { hooks, disableAllHooks, sandbox, ...more } = others;
  const rest = takeManaged(draft, more, options);
  if (disableAllHooks === true)
    draft.note("notice", at(options, ["disableAllHooks"]), "The hooks are left out: they are disabled.");
  else if (isObject(hooks)) {
    draft.merge({ hooks });
    draft.note(
      "notice",
      at(options, ["hooks"]),
      "Imported unchanged; they may deny, so leaving them out could allow more.",
    );
  }
  if (isObject(sandbox)) {
    if (sandbox.enabled === true) draft.merge({ bash: { enableSandbox: true } });
    const dropped = Object.keys(sandbox).filter((key) => key !== "enabled");
    if (dropped.length > 0) draft.note("warning", at(options, ["sandbox"]), `Left out: ${dropped.join(", ")}.`);
  }
  const names = Object.keys(rest).filter((key) => key !== "$schema");
  if (names.length > 0) draft.note("notice", { from: names.join(", ") }, "Left out: not about permissions.");
}

/** Reads keys with which an administrator removes permissions that other files allow. */
function takeManaged(draft: Draft, others: Raw, options: ImportOptions): Raw {
  const { deniedMcpServers, disabledMcpjsonServers, ...rest } = others;
  const servers = [deniedMcpServers, disabledMcpjsonServers].flatMap((list) => (Array.isArray(list) ? list : []));
  const place = at(options, [deniedMcpServers === undefined ? "disabledMcpjsonServers" : "deniedMcpServers"]);
  for (const server of servers as readonly unknown[]) {
    const name = isObject(server) ? server.serverName : server;
    if (typeof name === "string") draft.rule("deny", `mcp__${name}`, place);
    else draft.note("error", place, "A server can only be denied by name. Remove its entry from mcpServers instead.");
  }
  for (const [key, cure] of Object.entries(TAKING_AWAY))
    if (Array.isArray(rest[key]) || rest[key] === true)
      draft.note(
        "error",
        at(options, [key]),
        `It removes rights that other files allow, and Haft has no such setting. ${cure}`,
      );
  return rest;
}

const SERVERS = "Name the servers in mcpServers of the managed file, deny the others by name, and remove it here.";
const TAKING_AWAY: Readonly<Record<string, string>> = {
  allowManagedPermissionRulesOnly: "Put deny or ask rules into the managed file instead, and remove it here.",
  allowedMcpServers: SERVERS,
  allowManagedMcpServersOnly: SERVERS,
};

function at({ lineOf }: ImportOptions, path: readonly string[]): Place {
  const line = lineOf?.(path);
  return { from: path.join("."), ...(line === undefined ? {} : { line }) };
}
