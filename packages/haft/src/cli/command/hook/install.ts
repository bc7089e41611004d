import { homedir } from "node:os";
import { join } from "node:path";
import type { JSONPath } from "jsonc-parser";
import { projectRoot, real } from "../../../app/workspace.ts";
import { agreesToChange, writeChange } from "../../agent-file/file-change.ts";
import { appendJson, jsonAt, parseJsonFile, setJson, textOf } from "../../agent-file/json-file.ts";
import { ownCommand } from "../../agent-file/own-command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { HOOK_AGENTS } from "./agents.ts";
import { opencodePlugin } from "./opencode-plugin.ts";
import { assertRefuses } from "./try-out.ts";

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
  /** Throws if the hook does not refuse a call that must be refused. */
  readonly tryOut?: (agent: string, command: string) => Promise<void>;
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
  const edit = { file: changed.file, before: changed.before, after: next };
  if (!(await agreesToChange(edit, options.isSure))) return EXIT.failed;
  if (action === "install") await (options.tryOut ?? assertRefuses)(agent, command);
  writeChange(edit);
  await print(action === "install" ? `Installed. ${agent} calls: ${command}\n` : "Removed.\n");
  return EXIT.ok;
}

/** This program as a line for a shell. */
const commandOf = (): string =>
  ownCommand()
    .map((word) => (/\s/.test(word) ? JSON.stringify(word) : word))
    .join(" ");

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

function jsonChange(agent: string, folder: string, command: string, isProject: boolean): Changed {
  const { file, entries, base = {} } = placeOf(agent, folder, command, isProject);
  const before = textOf(file);
  const value = parseJsonFile(file, before);
  const ours = (path: JSONPath): number[] => {
    const list = jsonAt(before ?? "{}", path);
    const isOurs = (entry: unknown) => MARK.test(JSON.stringify(entry).replaceAll('\\"', '"'));
    return (Array.isArray(list) ? list : []).flatMap((entry, index) => (isOurs(entry) ? [index] : []));
  };
  const without = (text: string) =>
    entries.reduce(
      (all, [path]) =>
        ours(path)
          .toReversed()
          .reduce((one, index) => setJson(one, [...path, index], undefined), all),
      text,
    );
  return {
    file,
    before,
    isThere: entries.every(([path]) => ours(path).length > 0),
    install() {
      const start = Object.entries(base).reduce(
        (all, [key, own]) => (Object.hasOwn(value, key) ? all : setJson(all, [key], own)),
        without(before ?? "{}\n"),
      );
      return entries.reduce((all, [path, entry]) => appendJson(all, path, entry), start);
    },
    remove: () => (before === undefined ? undefined : without(before)),
  };
}
