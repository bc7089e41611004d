import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { applyEdits, type JSONPath, modify, type ParseError, parse } from "jsonc-parser";
import { projectRoot, real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { HOOK_AGENTS } from "./agents.ts";
import { opencodePlugin } from "./opencode-plugin.ts";

/** Identifies an entry: every hook that `haft hook install` writes has this in its command. */
const MARK = /(?:haft(?:\.mjs)?|cli\.cjs|main\.ts)["']* hook \w+/;

interface Place {
  readonly file: string;
  /** Lists of hooks in the file, each with the entry to add. */
  readonly entries: readonly (readonly [path: JSONPath, entry: object])[];
  /** Other content that the file needs. */
  readonly base?: Readonly<Record<string, unknown>>;
}

export interface ChangeOptions {
  readonly common: CommonOptions;
  readonly isProject: boolean;
  /** Write without asking. */
  readonly isSure: boolean;
}

/** Adds the hook to an agent's settings, removes it, or reports whether it is there. */
export async function change(
  action: "install" | "remove" | "status",
  agent: string | undefined,
  options: ChangeOptions,
): Promise<number> {
  if (agent === undefined || !Object.hasOwn(HOOK_AGENTS, agent))
    throw new UsageError(`Which agent? Known: ${Object.keys(HOOK_AGENTS).join(", ")}.`, `haft hook ${action} claude`);
  const { print } = processTerminal();
  const folder = options.isProject ? projectRoot(real(options.common.cwd)) : homedir();
  const command = `${commandOf()} hook ${agent}`;
  const changed =
    agent === "opencode"
      ? pluginChange(folder, options.isProject, command)
      : jsonChange(agent, folder, command, options.isProject);
  if (action === "status") {
    await print(`${changed.isThere ? "installed" : "not installed"}: ${changed.file}\n`);
    return changed.isThere ? EXIT.ok : EXIT.failed;
  }
  const next = action === "install" ? changed.install() : changed.remove();
  if (next === changed.before) {
    await print(`Nothing to do: ${changed.file}\n`);
    return EXIT.ok;
  }
  await print(`${changed.file}\n${difference(changed.before ?? "", next ?? "")}\n`);
  if (!options.isSure && !(await agrees())) return EXIT.failed;
  if (action === "install") await tryOut(agent);
  put(changed.file, next);
  await print(action === "install" ? `Installed. ${agent} calls: ${command}\n` : "Removed.\n");
  return EXIT.ok;
}

/** Without a terminal, the command must include the consent. */
async function agrees(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError("Nobody is at the terminal to agree to this change.", "Add --yes to write it.");
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question("Write this? [y/N] ")).trim());
  } finally {
    lines.close();
  }
}

/** Detects a broken guard now, not when it is needed: it must refuse one call that every policy refuses. */
async function tryOut(agent: string): Promise<void> {
  const { decideForeign } = await import("./decide.ts");
  const nothing = {
    cwd: process.cwd(),
    allow: [],
    ask: [],
    deny: ["Bash"],
    withoutUserSettings: false,
    trust: false,
    wait: false,
    json: false,
  };
  const { decision, reason } = await decideForeign(agent, { tool: "Bash", input: { command: "true" } }, nothing);
  if (decision !== "deny")
    throw new UsageError(`The hook does not refuse what a rule denies: ${reason}`, "Run haft doctor.");
}

/** This program, by the path of its start file: agents have their own PATH. */
function commandOf(): string {
  const script = process.argv[1] ?? "haft";
  return [process.execPath, script].map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(" ");
}

interface Changed {
  readonly file: string;
  readonly before: string | undefined;
  readonly isThere: boolean;
  install(): string;
  remove(): string | undefined;
}

function pluginChange(folder: string, isProject: boolean, command: string): Changed {
  const file = join(folder, isProject ? ".opencode/plugin/haft.js" : ".config/opencode/plugin/haft.js");
  const before = textOf(file);
  return {
    file,
    before,
    isThere: before !== undefined,
    install: () => opencodePlugin(command),
    remove: () => undefined,
  };
}

/** The file and format of each agent's hooks. */
function placeOf(agent: string, folder: string, command: string, isProject: boolean): Place {
  const run = { type: "command", command };
  switch (agent) {
    case "claude":
      return {
        file: join(folder, ".claude/settings.json"),
        entries: [[["hooks", "PreToolUse"], { matcher: "*", hooks: [{ ...run, timeout: 15 }] }]],
      };
    case "codex":
      return {
        file: join(folder, ".codex/hooks.json"),
        entries: [[["hooks", "PreToolUse"], { matcher: ".*", hooks: [{ ...run, timeout: 15 }] }]],
      };
    case "gemini":
      return {
        file: join(folder, ".gemini/settings.json"),
        entries: [[["hooks", "BeforeTool"], { matcher: ".*", hooks: [{ ...run, name: "haft", timeout: 15_000 }] }]],
      };
    case "copilot": {
      const file = join(folder, isProject ? ".github/hooks/haft.json" : ".copilot/hooks/haft.json");
      return {
        file,
        base: { version: 1 },
        entries: [[["hooks", "preToolUse"], { type: "command", bash: command, powershell: command, timeoutSec: 15 }]],
      };
    }
    default: {
      const events = ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"];
      const entry = { command, timeout: 15, failClosed: true };
      return {
        file: join(folder, ".cursor/hooks.json"),
        base: { version: 1 },
        entries: events.map((event) => [["hooks", event], entry]),
      };
    }
  }
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };

function jsonChange(agent: string, folder: string, command: string, isProject: boolean): Changed {
  const { file, entries, base = {} } = placeOf(agent, folder, command, isProject);
  const before = textOf(file);
  const errors: ParseError[] = [];
  const value: unknown = before === undefined ? {} : parse(before, errors, { allowTrailingComma: true });
  if (errors.length > 0 || typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`${file} is no JSON object, and is left as it is.`, "Mend it by hand, and try again.");
  const list = (path: JSONPath): readonly unknown[] => {
    const found = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
    return Array.isArray(found) ? found : [];
  };
  const ours = (path: JSONPath) =>
    list(path).flatMap((entry, index) => (MARK.test(JSON.stringify(entry).replaceAll('\\"', '"')) ? [index] : []));
  const without = (text: string) =>
    entries.reduce(
      (all, [path]) =>
        ours(path)
          .toReversed()
          .reduce((one, index) => applyEdits(one, modify(one, [...path, index], undefined, FORMAT)), all),
      text,
    );
  return {
    file,
    before,
    isThere: entries.every(([path]) => ours(path).length > 0),
    install() {
      const start = Object.entries(base).reduce(
        (all, [key, own]) => (Object.hasOwn(value, key) ? all : applyEdits(all, modify(all, [key], own, FORMAT))),
        without(before ?? "{}\n"),
      );
      return entries.reduce((all, [path, entry]) => {
        const left = list(path).length - ours(path).length;
        const at =
          left === 0 && !Array.isArray(valueAt(all, path))
            ? modify(all, path, [entry], FORMAT)
            : modify(all, [...path, left], entry, { ...FORMAT, isArrayInsertion: true });
        return applyEdits(all, at);
      }, start);
    },
    remove: () => (before === undefined ? undefined : without(before)),
  };
}

const valueAt = (text: string, path: JSONPath): unknown =>
  path.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    parse(text, [], { allowTrailingComma: true }),
  );

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/** The removed and added lines. */
function difference(before: string, after: string): string {
  const [old, fresh] = [before, after].map((text) => text.split("\n"));
  const gone = old!.filter((line) => !fresh!.includes(line)).map((line) => `- ${oneLine(line)}`);
  const come = fresh!.filter((line) => !old!.includes(line)).map((line) => `+ ${oneLine(line)}`);
  return [...gone, ...come].join("\n");
}

/** Keeps a link as a link, and an existing file's permissions. */
function put(named: string, text: string | undefined): void {
  const file = existsSync(named) ? realpathSync(named) : named;
  if (text === undefined) return void unlinkSync(file);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, text);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined) chmodSync(draft, mode & 0o777);
  renameSync(draft, file);
}
