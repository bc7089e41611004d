import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hasErrors, type Settings, type ToolNames } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { fail, type SettingsStore } from "@haft/core/tool";

/** The settings that a model may read and propose to change. None of them loosens a rule, starts a program or names a server. */
const OPEN: Readonly<Record<string, string>> = {
  model: "provider/name of the model",
  concurrency: "which calls of a batch run together: effects, partition or strict",
  "budgets.resultChars": "characters of one result that the model gets",
  "budgets.batchChars": "characters of all results of a batch",
  "shell.columns": "width of the terminal that commands find",
  "shell.rows": "its height",
};

type Tree = Record<string, unknown>;

/** The user's settings that are open to a model. */
export function settingsStore(file: string, settings: Settings, names: ToolNames): SettingsStore {
  const written = new Map<string, unknown>();
  return {
    list: () =>
      Object.entries(OPEN).map(([name, meaning]) => ({
        name,
        value: written.has(name) ? written.get(name) : at(settings as unknown as Tree, name),
        meaning,
      })),
    problem(name, value) {
      if (!Object.hasOwn(OPEN, name)) return `A model cannot change the setting "${name}".`;
      const { problems } = parseSettings(put({}, name.split("."), value), { origin: "user", file, names });
      return hasErrors(problems) ? problems.map(({ message, cure }) => `${message} ${cure}`).join(" ") : undefined;
    },
    async set(name, value) {
      writeSettings(file, put(documentOf(file), name.split("."), value));
      written.set(name, value);
      return { file };
    },
  };
}

/** Replaces a settings file in one step. */
export function writeSettings(file: string, document: object): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** The content of a settings file. @throws HaftError `conflict` for a file with comments, because rewriting it would lose them. */
export function documentOf(file: string): Tree {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return {};
  }
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text) as Tree;
  } catch {
    return fail(
      "conflict",
      `${file} is not plain JSON: its comments would be lost.`,
      "Ask the user to change it there.",
    );
  }
}

const at = (tree: Tree | undefined, name: string): unknown =>
  name.split(".").reduce<unknown>((value, key) => (value as Tree | undefined)?.[key], tree);

/** The tree with one value replaced; `undefined` removes it. */
export function put(tree: Tree, [key = "", ...rest]: readonly string[], value: unknown): Tree {
  if (rest.length > 0) return { ...tree, [key]: put((tree[key] ?? {}) as Tree, rest, value) };
  const { [key]: _, ...others } = tree;
  return value === undefined ? others : { ...tree, [key]: value };
}
