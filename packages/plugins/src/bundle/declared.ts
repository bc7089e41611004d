import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { type ToolNames, withBuiltinNames } from "@haft/core/policy";
import { commandsIn, filesIn } from "@haft/tools/skill-text";
import { readSkillPage } from "../frontmatter.ts";
import { loadSkills } from "../skill/load-skills.ts";
import type { PluginContents } from "./contents.ts";
import { findingsIn } from "./findings.ts";
import { placed } from "./read-contents.ts";
import { treeFiles } from "./tree.ts";

/** One thing that a plugin declares. Two versions are compared by these lines. */
export interface Declaration {
  /** Such as `hook`, `server`, `skill`. */
  readonly kind: string;
  readonly text: string;
  /** Its possible effects, one line each. */
  readonly effects: readonly string[];
}

/** The effects of a shell command in words, found without running it. */
export type EffectsOf = (command: string) => Promise<readonly string[]>;

const CODE = new Set([
  ".js",
  ".mjs",
  ".cjs",
  ".ts",
  ".mts",
  ".py",
  ".sh",
  ".bash",
  ".zsh",
  ".rb",
  ".pl",
  ".ps1",
  ".php",
  ".lua",
  ".md",
  ".json",
  ".toml",
  ".yaml",
  ".yml",
  ".txt",
  "",
]);

/** Files whose text is looked at, and bytes of each. */
const MOST_FILES = 500;
const MOST_BYTES = 500_000;

/** Everything in a plugin that could have an effect. Runs nothing. */
export async function declaredIn(
  root: string,
  contents: PluginContents,
  effectsOf: EffectsOf,
): Promise<readonly Declaration[]> {
  const list: Declaration[] = [];
  const add = (kind: string, text: string, effects: readonly string[] = []): void =>
    void list.push({ kind, text, effects });
  for (const [event, groups] of Object.entries(contents.hooks)) {
    if (!Array.isArray(groups)) continue;
    for (const group of groups)
      for (const hook of group.hooks) {
        const what = typeof hook.command === "string" ? commandOf(hook) : String(hook.url ?? hook.prompt ?? hook.type);
        const more =
          typeof hook.command === "string"
            ? await effectsOf(placed(what, root))
            : hook.url === undefined
              ? []
              : [`sends each event to ${hook.url}`];
        add("hook", `${event}${group.matcher ? ` of ${group.matcher}` : ""}: ${what}`, [...more, ...findingsIn(what)]);
      }
  }
  for (const [name, { command, args = [], url, env = {} }] of Object.entries(contents.mcpServers)) {
    const line = [command, ...args]
      .filter((word) => word !== undefined)
      .join(" ")
      .replaceAll(root, ".");
    const secrets = Object.entries(env).filter(([key]) => key !== "CLAUDE_PLUGIN_ROOT");
    const rights = contents.format === "mcpb" ? "runs in the sandbox, by default" : "runs with your rights";
    if (url !== undefined) add("server", `${name}: ${url}`, [`connects to ${url}`]);
    else add("server", `${name}: ${line}`, [rights, ...findingsIn([line, ...secrets.flat()].join(" "))]);
  }
  for (const [name, { command, args = [] }] of Object.entries(contents.lspServers)) {
    const line = [command, ...args].join(" ").replaceAll(root, ".");
    add("language server", `${name}: ${line}`, ["runs with your rights", ...findingsIn(line)]);
  }
  for (const { key, title, sensitive } of contents.options)
    add("option", `${key}: ${title}`, sensitive ? ["is a secret passed to its programs"] : []);
  await addSkills(contents, effectsOf, add);
  if (contents.entry !== undefined)
    add("code", contents.entry.slice(root.length + 1), ["registers tools; it runs in a process of its own"]);
  for (const [name, script] of Object.entries(contents.installScripts))
    add("script", `${name} (is not run): ${script}`, findingsIn(script));
  for (const tool of contents.excluded) add("excluded", `${tool} is refused`);
  for (const { path, isProgram, bytes } of treeFiles(root).filter((file) => file.link === undefined)) {
    const text = bytes <= MOST_BYTES && CODE.has(extname(path)) ? readFileSync(join(root, path), "utf8") : undefined;
    const findings = text === undefined || list.length > MOST_FILES ? [] : findingsIn(text);
    const isBinary = text === undefined || text.includes("\0");
    if (findings.length > 0) add("file", JSON.stringify(path), findings);
    else if (isProgram && isBinary) add("file", JSON.stringify(path), ["is a program in binary form"]);
  }
  return list;
}

async function addSkills(
  contents: PluginContents,
  effectsOf: EffectsOf,
  add: (kind: string, text: string, effects: readonly string[]) => void,
): Promise<void> {
  const names: ToolNames = withBuiltinNames([]);
  const problems: string[] = [];
  const kinds = [
    ["skill", contents.skillFolders.map((folder) => ({ folder, source: contents.name }))],
    ["command", contents.commandFolders.map((folder) => ({ folder, source: contents.name, files: true as const }))],
  ] as const;
  for (const [kind, roots] of kinds)
    for (const skill of loadSkills({
      roots,
      names,
      onProblem: (line) => problems.push(line),
    }).values()) {
      const { name, grants, file } = skill;
      const { body } = readSkillPage(file, readFileSync(file, "utf8").slice(0, MOST_BYTES));
      const commands = commandsIn(body, skill);
      const reads = filesIn(body, skill).map((path) => `reads when it is loaded: ${path}`);
      const runs = await Promise.all(
        commands.map(async (command) => [`runs when it is loaded: ${command}`, ...(await effectsOf(command))]),
      );
      add(kind, name, [...grants.map((rule) => `lets ${rule} run without asking`), ...runs.flat(), ...reads]);
    }
  for (const problem of problems) add("problem", problem, []);
}

const commandOf = ({ command, args }: { readonly command?: unknown; readonly args?: unknown }): string =>
  [String(command), ...(Array.isArray(args) ? args.map(String) : [])].join(" ");

/** Each declaration with its effects as single lines, for comparing two versions. */
export const linesOf = (declared: readonly Declaration[]): readonly string[] =>
  declared.flatMap(({ kind, text, effects }) => [
    `${kind} ${text}`,
    ...effects.map((effect) => `${kind} ${text}: ${effect}`),
  ]);
