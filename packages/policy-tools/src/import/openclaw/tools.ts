/** The tools of OpenClaw (2026.1 to 2026.9) mapped to Haft's, by group and profile. Data only. */

/** Haft's names for OpenClaw's tools, if they differ or have no alias here. */
const HERE: Readonly<Record<string, readonly string[]>> = {
  memory_search: ["Memory"],
  memory_get: ["Memory"],
  sessions_history: ["sessions_list"],
  ask_user: ["AskUserQuestion"],
  bash: ["Bash"],
};

/** Members of each group, without those that Haft has no tool for. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "group:fs": ["read", "write", "edit", "apply_patch"],
  "group:runtime": ["exec", "process"],
  "group:web": ["web_search", "web_fetch"],
  "group:memory": ["memory_search"],
  "group:sessions": ["sessions_list", "sessions_send", "sessions_spawn", "session_status"],
  "group:ui": ["browser", "canvas"],
  "group:automation": ["cron"],
  "group:messaging": ["message"],
  "group:nodes": [],
  "group:agents": ["ask_user"],
  "group:media": ["view_image"],
  "group:openclaw": [
    "browser",
    "cron",
    "message",
    "sessions_list",
    "sessions_send",
    "sessions_spawn",
    "session_status",
    "web_search",
    "web_fetch",
    "memory_search",
    "ask_user",
  ],
};

/** The tools of each profile in its first version; later versions only add to it. `full` has no filter. */
export const OPENCLAW_PROFILES: Readonly<Record<string, readonly string[] | undefined>> = {
  minimal: ["session_status"],
  coding: ["group:fs", "group:runtime", "group:sessions", "group:memory"],
  messaging: ["group:messaging", "sessions_list", "sessions_send", "session_status"],
  full: undefined,
};

/**
 * Maps an entry of a tool list to Haft's names, globs and groups. Empty: Haft has no such tool.
 *
 * @param known finds the canonical name for a spelling.
 */
export function toolsHere(entry: string, known: (name: string) => string | undefined): readonly string[] {
  const name = entry.trim().toLowerCase().replaceAll("-", "_");
  if (Object.hasOwn(GROUPS, name)) return [...new Set(GROUPS[name]!.flatMap((member) => toolsHere(member, known)))];
  if (name === "group:plugins") return ["group:plugins", "group:mcp"];
  if (name === "bundle_mcp") return ["group:mcp"];
  if (Object.hasOwn(HERE, name)) return HERE[name]!;
  const canonical = known(name);
  if (canonical !== undefined) return [canonical];
  return name.includes("*") || name.startsWith("mcp__") ? [entry.trim()] : [];
}
