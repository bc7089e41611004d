import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { type DeclaredTool, type PluginContents, placed, pluginCommand } from "@haft/plugins";
import { createHaft } from "../create-haft.ts";

/** The outcome of running a plugin's hooks, servers and module where nothing of it becomes real. */
export interface Rehearsal {
  /** The commands that ran, and what each changed or was refused, one line each. */
  readonly observed: readonly string[];
  /** The tools that its module registered. */
  readonly tools: readonly DeclaredTool[];
  /** Why nothing could be run here. */
  readonly impossible?: string;
}

/** Milliseconds for one command, and most commands. */
const COMMAND_MS = 15_000;
const MOST_COMMANDS = 20;

/** A line of a dry run that tells of a change. */
const CHANGE = /^\s*(?:"?(.+?)"?): ((?:file|folder|link)[^\n]*(?:made|changed|removed|replaced|moved)[^\n]*)$/gm;

/**
 * Runs what a plugin would start, each as a dry run of Bash: in a copy-on-write view of a scratch project, without network
 * and private files. The home is part of the scratch, so changes of start-up files show. Everything is discarded.
 */
export async function rehearse(files: string, contents: PluginContents, signal: AbortSignal): Promise<Rehearsal> {
  const commands = commandsOf(contents).slice(0, MOST_COMMANDS);
  if (commands.length === 0) return { observed: [], tools: [] };
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-rehearsal-")));
  const scratch = join(base, "scratch");
  const [plugin, home, project] = ["plugin", "home", "project"].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  try {
    for (const folder of [join(home, ".ssh"), join(project, ".git/hooks")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, ".bashrc"), "");
    writeFileSync(join(project, "package.json"), '{"name": "scratch"}\n');
    cpSync(files, plugin, { recursive: true, verbatimSymlinks: true });
    await using haft = await createHaft({
      ...{ cwd: scratch, home, stateDir: join(base, "state"), settings: false, onNotice: () => {} },
      rules: { allow: ["Bash"] },
      // Every call here is a dry run in a scratch folder.
      ask: async () => ({ behavior: "allow" }),
      mcpServers: false,
    });
    const observed: string[] = [];
    let tools: readonly DeclaredTool[] = [];
    for (const { title, command, input } of commands) {
      const moved = command.replaceAll(files, plugin);
      const script = `${placeVariables(plugin)}export CLAUDE_PROJECT_DIR=${quote(project)}; cd ${quote(project)} && { ${moved}\n} <<'HAFT_REHEARSAL'\n${input}\nHAFT_REHEARSAL\n`;
      const result = await haft.call("Bash", { command: script, dry_run: true, timeout: COMMAND_MS }, { signal });
      const said = contentsText(result.content);
      if (result.error?.code === "sandbox_unavailable" || result.error?.code === "denied_by_rule")
        return { observed: [], tools: [], impossible: result.error.message };
      const listed = toolsIn(said);
      if (listed) tools = listed;
      observed.push(...observedIn(title, said, listed !== undefined));
    }
    return { observed, tools };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

interface Command {
  readonly title: string;
  readonly command: string;
  readonly input: string;
}

function commandsOf({ hooks, mcpServers, entry }: PluginContents): readonly Command[] {
  const list: Command[] = [];
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) continue;
    for (const { command, args } of groups.flatMap((group) => group.hooks)) {
      if (typeof command !== "string") continue;
      const line = Array.isArray(args)
        ? [command, ...args.map(String)].map((word) => quote(placed(word, "$CLAUDE_PLUGIN_ROOT"))).join(" ")
        : command;
      list.push({ title: `hook ${event}`, command: line, input: sampleOf(event) });
    }
  }
  for (const [name, { command, args = [] }] of Object.entries(mcpServers))
    if (command !== undefined)
      list.push({
        title: `server ${name}`,
        command: `timeout 5 ${[command, ...args].map(quote).join(" ")}`,
        input: HELLO,
      });
  if (entry !== undefined)
    list.push({ title: "module", command: pluginCommand(entry).map(quote).join(" "), input: "" });
  return list;
}

/** A first message of a client, after which the input ends. */
const HELLO = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "haft", version: "0" } },
});

const sampleOf = (event: string): string =>
  JSON.stringify({
    ...{ session_id: "rehearsal", transcript_path: "", cwd: ".", hook_event_name: event, permission_mode: "default" },
    ...{ source: "startup", prompt: "Fix the failing test.", tool_name: "Bash", tool_input: { command: "npm test" } },
    ...{ tool_use_id: "t1", tool_response: {}, stop_hook_active: false, reason: "other" },
  });

/** Refusals of a sandbox, as programs say them. */
const REFUSED =
  /[^\n]*(?:could not resolve|name resolution|ENOTFOUND|EAI_AGAIN|network is unreachable|ENETUNREACH|connection refused|ECONNREFUSED|permission denied|EACCES|read-only file system|EROFS|operation not permitted|EPERM)[^\n]*/gi;

function observedIn(title: string, said: string, isListing: boolean): readonly string[] {
  const changes = [...said.matchAll(CHANGE)].map(([, path, how]) => `${title}: ${path}: ${how}`);
  const refused = isListing
    ? []
    : [...said.matchAll(REFUSED)].slice(0, 5).map(([line]) => `${title} was refused: ${line.trim().slice(0, 200)}`);
  return [...new Set([...changes, ...refused])];
}

function toolsIn(said: string): readonly DeclaredTool[] | undefined {
  for (const line of said.split("\n")) {
    if (!line.startsWith('{"t":"ready"')) continue;
    try {
      return (JSON.parse(line) as { tools: readonly DeclaredTool[] }).tools;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Sets the variables by which a plugin's commands find its folder. */
const placeVariables = (folder: string): string =>
  `export CLAUDE_PLUGIN_ROOT=${quote(folder)} PLUGIN_ROOT=${quote(folder)} extensionPath=${quote(folder)}; `;

const quote = (word: string): string => (/^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
