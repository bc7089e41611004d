/** What the rule grammar knows of particular tools and words. Data only. */

/** The words that, followed by a parenthesis, make a rule about an effect. */
export const EFFECT_WORDS = ["read", "write", "delete", "run", "connect", "send", "call"] as const;

/** An effect that rules can be about. */
export type RuleWord = (typeof EFFECT_WORDS)[number];

/** Effects that exist but have no rule of their own, with what to write instead. */
export const UNRULED_WORDS: ReadonlyMap<string, string> = new Map([
  ["delegate", "Write Agent(type)."],
  ["ask", "Name the tool instead."],
  ["state", "Name the tool instead."],
  ["unknown", "What cannot be read always asks; only a bare tool rule such as Bash covers it."],
]);

/** Tools whose path rules are the rules for reading; for the others such a rule acts as one for Read. */
export const READERS: ReadonlySet<string> = new Set(["Grep", "Glob", "Ls", "LS", "ReadManyFiles", "NotebookRead"]);

/** The same for writing. */
export const WRITERS: ReadonlySet<string> = new Set(["Write", "MultiEdit", "NotebookEdit", "apply_patch"]);

/** The tool whose name, alone in a deny or ask rule, also means this one: `Edit` is every tool that edits. */
export const familyOf = (tool: string): string | undefined =>
  WRITERS.has(tool) ? "Edit" : READERS.has(tool) ? "Read" : undefined;

export const SHELLS: ReadonlySet<string> = new Set(["Bash", "PowerShell"]);

/** The field that a tool's own kind of rule is about. A parameter rule on it would be passed by another spelling. */
export const PRIMARY_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["command"]],
  ["PowerShell", ["command"]],
  ["Read", ["file_path", "path"]],
  ["Edit", ["file_path", "path"]],
  ["MultiEdit", ["file_path", "path"]],
  ["Write", ["file_path", "path"]],
  ["Grep", ["path"]],
  ["Glob", ["path"]],
  ["Ls", ["path"]],
  ["NotebookEdit", ["notebook_path"]],
  ["WebFetch", ["url"]],
]);

const SHELL_FIELDS = ["command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox", "sandbox"];

/**
 * The fields of tools whose specifiers may hold a colon themselves: only by one of these is `name:value` a parameter
 * rule. `Bash(timeout:*)` stays the old spelling of `Bash(timeout *)`.
 */
export const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", [...SHELL_FIELDS, "dry_run", "stdin", "tty", "wait_ms", "workdir"]],
  ["PowerShell", SHELL_FIELDS],
  ["WebFetch", ["url", "prompt"]],
  [
    "Agent",
    ["description", "isolation", "mode", "model", "name", "prompt", "run_in_background", "subagent_type", "team_name"],
  ],
  ["Skill", ["skill", "args"]],
]);

/** Programs that share their name with a field of the shell's: `Bash(tty:*)` is the old spelling of `Bash(tty *)`. */
export const SHELL_PROGRAMS: ReadonlySet<string> = new Set(["timeout", "tty"]);

/**
 * The fields of the tools whose rules are paths, other spellings included. `Read(notes:2024.md)` is no rule about a
 * field, and would protect nothing as one.
 */
export const PATH_TOOL_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Read", ["file_path", "path", "offset", "limit", "pages"]],
  ["Edit", ["file_path", "path", "old_string", "new_string", "replace_all"]],
  ["MultiEdit", ["file_path", "path"]],
  ["Write", ["file_path", "path", "content"]],
  ["NotebookEdit", ["notebook_path", "cell_id", "cell_number", "cell_type", "edit_mode", "new_source"]],
  ["Glob", ["pattern", "path"]],
  ["Ls", ["path"]],
  ["Grep", ["pattern", "path", "glob", "type", "output_mode", "head_limit", "offset", "multiline"]],
]);
