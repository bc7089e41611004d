import { createRegistry, type Registry } from "@haft/core/registry";
import { toSchema } from "@haft/core/schema";
import { effects as does, type Effect, type EffectWord, fail, type Tool } from "@haft/core/tool";

/** A call of another agent, with the name that rules use. */
export interface CanonicalCall {
  readonly tool: string;
  readonly input: Input;
}

type Input = Readonly<Record<string, unknown>>;

/** The tool for each name, in any agent, in lower case. Unlisted names are kept unchanged, so they ask. */
const MEANT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    Read: "read read_file view view_image read_many_files notebookread",
    Write: "write write_file create create_file",
    Edit: "edit replace multiedit str_replace str_replace_editor edit_file notebookedit search_replace",
    Delete: "delete delete_file",
    apply_patch: "apply_patch applypatch patch",
    Glob: "glob find",
    Grep: "grep grep_search search_file_content rg search",
    LS: "ls list list_directory list_dir",
    Bash: "bash shell run_shell_command exec exec_command shell_command local_shell run_terminal_cmd",
    PowerShell: "powershell",
    WebFetch: "webfetch web_fetch fetch",
    WebSearch: "websearch web_search google_web_search",
    TodoWrite: "todowrite write_todos update_todo update_plan",
    Agent: "agent task invoke_agent spawn_agent",
    Skill: "skill activate_skill",
  }).flatMap(([name, words]) => words.split(" ").map((word) => [word, name])),
);

/** A call with the name that rules use, and an input for Haft's own tool of that name. */
export function canonicalCall(tool: string, input: Input): CanonicalCall {
  const meant = MEANT[tool.toLowerCase()] ?? tool;
  if (meant !== "Bash" && meant !== "PowerShell") return { tool: meant, input };
  const { command, cmd, run_in_background } = input;
  const line = command ?? cmd;
  const folder = [input.workdir, input.cwd, input.dir_path, input.directory].find((one) => typeof one === "string");
  return {
    tool: meant,
    input: {
      // A list is a program with its arguments: as a script, the same words, each in quotes.
      command: Array.isArray(line) ? line.map((word) => quoted(String(word))).join(" ") : line,
      ...(folder === undefined || folder === "" ? {} : { workdir: folder }),
      ...(run_in_background === true || input.is_background === true ? { run_in_background: true } : {}),
    },
  };
}

const quoted = (word: string): string => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

type Sketch = readonly [can: readonly EffectWord[], effects: (input: Input) => readonly Effect[]];

/** The effects of other agents' tools, by their input. Haft cannot hold them to it, so no bound here is enforced. */
const SKETCHES: Readonly<Record<string, Sketch>> = {
  Read: [["read"], (input) => pathsOf(input).map((path) => reading(path))],
  Write: [["write"], (input) => pathsOf(input).map((path) => changing(path, "replace"))],
  Edit: [["read", "write"], (input) => pathsOf(input).flatMap((path) => [reading(path), changing(path, "modify")])],
  Delete: [["write"], (input) => pathsOf(input).map((path) => changing(path, "delete"))],
  apply_patch: [["read", "write"], (input) => patchEffects(input)],
  Glob: [["read"], (input) => [reading(folderOf(input), true)]],
  Grep: [["read"], (input) => [reading(folderOf(input), true)]],
  LS: [["read"], (input) => [reading(folderOf(input), true)]],
  WebFetch: [["connect"], (input) => urlsOf(input).map((url) => does.connect(url, { sends: false }))],
  WebSearch: [["connect"], () => [does.connect("web-search", { sends: false })]],
  TodoWrite: [["state"], () => [does.state("todos")]],
  Agent: [["delegate"], (input) => [does.delegate(firstText(input, ["subagent_type", "agent"]) ?? "general-purpose")]],
  Skill: [["state"], () => [does.state("skills")]],
};

const reading = (path: string, tree = false): Effect => ({
  do: "read",
  basis: "proved",
  path,
  ...(tree ? { tree } : {}),
});
const changing = (path: string, change: "modify" | "replace" | "delete"): Effect => ({
  ...{ do: "write", basis: "proved", path, change },
});

/**
 * A registry of other agents' tools: shells as Haft reads them, the rest as sketches, and every tool of every MCP
 * server.
 */
export function foreignRegistry(shells: readonly Tool[]): Registry {
  const registry = createRegistry();
  const sketched = Object.entries(SKETCHES).map(([name, [can, effects]]) => sketch(name, can, effects));
  registry.add({ origin: "builtin", name: "haft" }, [...shells, ...sketched]);
  return { ...registry, get: (name) => registry.get(name) ?? remote(name) };
}

function remote(name: string) {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  const effects = () => [does.call(server, tool, { change: true })];
  return { tool: sketch(name, ["call"], effects), source: { origin: "mcp", name: server } as const };
}

const anyObject = toSchema<Input>({ type: "object" }, "a tool of another agent");

const sketch = (name: string, can: readonly EffectWord[], effects: Sketch[1]): Tool => ({
  name,
  description: "",
  input: anyObject,
  can: [...can],
  effects: (input) => effects(input as Input),
  run: () => fail("tool_unavailable", `${name} is a tool of another agent.`),
});

const FILE_FIELDS = ["file_path", "filePath", "absolute_path", "path", "target_file", "notebook_path", "filename"];
const FOLDER_FIELDS = ["path", "dir_path", "directory", "target_directory", "relative_workspace_path"];

/** The files that an input names. If it names none, the effects are unknown. */
function pathsOf(input: Input): readonly string[] {
  const one = firstText(input, FILE_FIELDS);
  const many = [input.paths, input.include].find(Array.isArray) as readonly unknown[] | undefined;
  const paths = one === undefined ? (many ?? []).filter((path) => typeof path === "string") : [one];
  return paths.length > 0 ? paths : fail("invalid_input", "The call names no file.");
}

const folderOf = (input: Input): string => firstText(input, FOLDER_FIELDS) ?? ".";

function urlsOf(input: Input): readonly string[] {
  const url = firstText(input, ["url"]);
  const found =
    url === undefined
      ? [...(firstText(input, ["prompt"]) ?? "").matchAll(/https?:\/\/[^\s"'<>]+/g)].map(String)
      : [url];
  return found.length > 0 && found.every((one) => URL.canParse(one))
    ? found
    : fail("invalid_input", "The call names no address.");
}

/** The files that a patch adds, changes, removes or moves. */
function patchEffects(input: Input): readonly Effect[] {
  const patch = firstText(input, ["patch", "patchText", "input", "command", "diff"]) ?? "";
  const effects = [...patch.matchAll(/^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm)].flatMap(
    ([, kind, path = ""]): Effect[] => {
      if (kind === "Delete File") return [changing(path.trim(), "delete")];
      const write = changing(path.trim(), kind === "Update File" ? "modify" : "replace");
      return kind === "Update File" ? [reading(path.trim()), write] : [write];
    },
  );
  return effects.length > 0 ? effects : fail("invalid_input", "The patch names no file.");
}

const firstText = (input: Input, fields: readonly string[]): string | undefined =>
  fields.map((field) => input[field]).find((value): value is string => typeof value === "string" && value !== "");
