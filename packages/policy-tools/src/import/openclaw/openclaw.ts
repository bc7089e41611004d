import { builtinToolNames, checkToolList, type ProfileName, profileNames } from "@haft/core/policy";
import { createDraft, type Draft, refuseMisspelt, unreadable } from "../draft.ts";
import type { Importer, ImportOptions, Place } from "../imported.ts";
import { isBroken, isObject, type Raw, readObject, textsOf } from "../json.ts";
import { isApprovals, takeApprovals, takeExec } from "./exec.ts";
import { OPENCLAW_PROFILES, toolsHere } from "./tools.ts";

/**
 * OpenClaw's configuration (JSON5), or its file of exec approvals. Tool lists are filters that only remove, there as here.
 * Settings for one provider, agent or sender cannot be expressed; if they restrict, the file is refused.
 */
export const importOpenclaw: Importer = (text, options = {}) => {
  const file = readObject(text);
  if (isBroken(file)) return unreadable(file.broken, file.line);
  const draft = createDraft();
  if (isApprovals(file)) takeApprovals(draft, file);
  else {
    refuseMisspelt(draft, file, ["tools", "agents"]);
    const tools = file.tools ?? {};
    if (isObject(tools)) takeTools(draft, tools, options);
    else draft.note("error", { from: "tools" }, "It must be an object.");
    takeScopes(draft, file, options);
  }
  return draft.finish();
};

function takeTools(draft: Draft, tools: Raw, options: ImportOptions): void {
  refuseMisspelt(draft, tools, [...HANDLED], "tools.");
  const at = (key: string): Place => placeOf(options, ["tools", key]);
  const lists = ["allow", "alsoAllow", "deny"].map((key) => {
    const { texts, odd } = textsOf(tools[key]);
    if (odd) draft.note("error", at(key), "It must be a list of tools and groups.");
    return tools[key] === undefined ? undefined : texts;
  });
  const [allow, alsoAllow, deny] = lists;
  const profile = takeProfile(draft, tools.profile, at("profile"));
  const base = profile && alsoAllow ? OPENCLAW_PROFILES[profile] : undefined;
  // With further tools added, the profile becomes a list. Two lists together only pass tools in both.
  const wide = base && translated(draft, [...base, ...alsoAllow!], at("alsoAllow"));
  const own = allow && translated(draft, allow, at("allow"));
  const passing = wide && own ? own.filter((name) => wide.includes(name)) : (wide ?? own);
  if (alsoAllow && !profile && !allow)
    draft.note("notice", at("alsoAllow"), "Without a profile or a list it has no effect.");
  if (alsoAllow && !profile && own) own.push(...translated(draft, alsoAllow, at("alsoAllow")));
  if (allow?.length === 0)
    draft.note(
      "warning",
      at("allow"),
      "Made stricter: an empty list means no tool at all. Remove it if all were meant.",
    );
  const denied = deny && translatedDeny(draft, deny, at("deny"));
  const policy = {
    ...(profile && !base ? { profile } : {}),
    ...(passing ? { allow: [...new Set(passing)] } : {}),
    ...(denied ? { deny: [...new Set(denied)] } : {}),
  };
  if (Object.keys(policy).length > 0) draft.merge({ policy });
  takeExec(draft, tools.exec, at("exec"));
  restOf(draft, tools, options);
}

function takeProfile(draft: Draft, written: unknown, place: Place): ProfileName | undefined {
  if (written === undefined) return undefined;
  const profile = profileNames.find((name) => name === written);
  if (profile === undefined)
    draft.note("error", place, `There is no profile ${JSON.stringify(written)}; the tools it removes are unknown.`);
  return profile;
}

function translated(draft: Draft, list: readonly string[], place: Place): string[] {
  return list.flatMap((entry) => {
    if (isSameGroup(entry)) return [entry.trim().toLowerCase()];
    const names = toolsHere(entry, builtinToolNames.canonical);
    if (names.length === 0) draft.note("warning", place, `Left out of the list: Haft has no tool "${entry}".`);
    return names;
  });
}

function translatedDeny(draft: Draft, list: readonly string[], place: Place): string[] {
  return list.flatMap((entry) => {
    if (isSameGroup(entry)) return [entry.trim().toLowerCase()];
    const names = toolsHere(entry, builtinToolNames.canonical);
    if (names.length > 0) return names;
    // Denied anyway, in case a plugin or a server ever brings such a tool.
    const name = entry.trim();
    if (!/^[\w-]+$/.test(name)) draft.note("error", place, `"${entry}" does not name anything that Haft could deny.`);
    else draft.rule("deny", name.includes("_") ? name : `${name}*`, { ...place, from: `deny ${entry}` });
    return [];
  });
}

/** Groups with the same tools in both systems. */
const isSameGroup = (entry: string): boolean =>
  ["group:fs", "group:runtime", "group:web", "group:messaging"].includes(entry.trim().toLowerCase()) &&
  checkToolList([entry]).length === 0;

const HANDLED: ReadonlySet<string> = new Set([
  "allow",
  "alsoAllow",
  "deny",
  "profile",
  "exec",
  "byProvider",
  "subagents",
  "sandbox",
]);

/** Reads settings that restrict only some calls. */
function restOf(draft: Draft, tools: Raw, options: ImportOptions): void {
  if (isObject(tools.byProvider))
    restricts(draft, tools.byProvider, ["tools", "byProvider"], "models of one provider", options);
  const inner = (key: string) => (isObject(tools[key]) ? (tools[key] as Raw).tools : undefined);
  for (const key of ["subagents", "sandbox"] as const)
    if (isObject(inner(key)) && Object.keys(inner(key) as Raw).length > 0)
      draft.note(
        "error",
        placeOf(options, ["tools", key]),
        `It filters the tools of ${key === "subagents" ? "subagents" : "confined sessions"} only, and Haft has no such setting. Move it to "tools", or remove it.`,
      );
  const foreign = Object.keys(tools).filter((key) => !HANDLED.has(key));
  if (foreign.length > 0)
    draft.note("notice", { from: foreign.map((key) => `tools.${key}`).join(", ") }, "Left out: not a tool policy.");
}

function restricts(draft: Draft, scopes: Raw, path: readonly string[], whom: string, options: ImportOptions): void {
  for (const [name, policy] of Object.entries(scopes))
    if (isObject(policy) && ["allow", "deny", "profile"].some((key) => Object.hasOwn(policy, key)))
      draft.note(
        "error",
        placeOf(options, [...path, name]),
        `It holds for ${whom} only, and Haft has no such setting. Move it to "tools", or remove it.`,
      );
}

/** Haft has no agents, channels or senders of OpenClaw, so their rules restrict nobody here. */
function takeScopes(draft: Draft, file: Raw, options: ImportOptions): void {
  const agents = isObject(file.agents) && Array.isArray(file.agents.list) ? file.agents.list : [];
  for (const [index, agent] of agents.entries())
    if (isObject(agent) && agent.tools !== undefined)
      draft.note(
        "warning",
        placeOf(options, ["agents", "list", String(index), "tools"]),
        `Left out: the rules of the agent ${JSON.stringify(agent.id ?? index)} alone. To use Haft in its place, put them under "tools" and import again.`,
      );
  const defaults = isObject(file.agents) ? file.agents.defaults : undefined;
  if (isObject(defaults) && defaults.tools !== undefined)
    draft.note(
      "error",
      placeOf(options, ["agents", "defaults", "tools"]),
      'It would hold for every agent. Move it to "tools".',
    );
  if (isObject(file.channels))
    draft.note(
      "notice",
      placeOf(options, ["channels"]),
      "Left out: rules of channels and senders, which Haft does not have.",
    );
}

function placeOf({ lineOf }: ImportOptions, path: readonly string[]): Place {
  const line = lineOf?.(path);
  return { from: path.join("."), ...(line === undefined ? {} : { line }) };
}
