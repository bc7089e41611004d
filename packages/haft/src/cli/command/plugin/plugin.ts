import { homedir } from "node:os";
import { nearest } from "@haft/core/schema";
import { changedSince, type InstalledPlugin, type OptionValues, pluginStore, readContents } from "@haft/plugins";
import { stateFolder } from "@haft/service";
import { type StagedPlugin, stagePlugin } from "../../../app/extend/stage-plugin.ts";
import { real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { agrees } from "../../agent-file/file-change.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { type Parsed, readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { type AnswerOptions, answersFor } from "./answers.ts";
import { marketplace } from "./marketplace.ts";
import { rehearsalText, reportText, toolsText, widerText } from "./report.ts";

const OWN = { yes: "boolean", unconfined: "boolean", "without-rehearsal": "boolean", config: "list" } as const;
export type Given = Parsed<typeof OWN>;

const VERBS: Readonly<Record<string, (given: Given, name: string | undefined) => Promise<number>>> = {
  add,
  list: async ({ common }) => list(common.json),
  show,
  update,
  configure,
  remove,
  marketplace: ({ common, words }) =>
    marketplace({
      ...{ verb: words[1], word: words[2], json: common.json, cwd: real(common.cwd) },
      ...{ home: real(homedir()), state: stateOf() },
    }),
};

/** `haft plugin add|list|show|update|configure|remove|marketplace`: plugins of the user, agreed to by their effects. */
export const plugin: Command = async (args) => {
  const given = readOptions(args, OWN, args.includes("marketplace") ? 3 : 2);
  const [verb = "list", name] = given.words;
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run) return run(given, name);
  const close = nearest(verb, Object.keys(VERBS));
  throw new UsageError(
    `There is no "plugin ${oneLine(verb)}".`,
    close ? `Did you mean plugin ${close}?` : `Use ${Object.keys(VERBS).join(", ")}.`,
  );
};

const stateOf = () => stateFolder(real(homedir()));

function stage(given: Given, source: string, { name, sha256 }: StageMore = {}): Promise<StagedPlugin> {
  const home = real(homedir());
  return stagePlugin(source, {
    // An installed source is absolute or an address; a folder of the project that looks like the address is neither.
    cwd: name === undefined ? real(given.common.cwd) : stateOf().root,
    ...{ home, state: stateOf(), env: process.env, signal: new AbortController().signal },
    ...(name === undefined ? {} : { name }),
    ...(sha256 === undefined ? {} : { sha256 }),
  });
}

interface StageMore {
  /** The name under which it is installed already. */
  readonly name?: string;
  /** The digest that its archive must have. */
  readonly sha256?: string;
}

async function add(given: Given, source: string | undefined): Promise<number> {
  if (source === undefined)
    throw new UsageError(
      "Add which plugin?",
      "Name a folder, an archive, github:owner/name, a git address, an npm package, or NAME@MARKET.",
    );
  return addFrom(given, source);
}

/** Adds the plugin of a source: shows it, rehearses it, asks, installs it. */
export async function addFrom(given: Given, source: string, more: StageMore = {}): Promise<number> {
  const staged = await stage(given, source, more);
  try {
    if (staged.before)
      throw new UsageError(
        `The plugin ${staged.contents.name} is installed already.`,
        `Use haft plugin update ${staged.contents.name}, or remove it first.`,
      );
    await processTerminal().print(reportText(staged.contents, staged.declared));
    return await agreeAndInstall(given, staged, "Install it?");
  } finally {
    staged.discard();
  }
}

/** Rehearses, asks, and installs. */
async function agreeAndInstall({ common, own }: Given, staged: StagedPlugin, question: string): Promise<number> {
  const { print } = processTerminal();
  const rehearsal = own["without-rehearsal"]
    ? { observed: [], tools: [], impossible: "--without-rehearsal was given" }
    : await staged.rehearse();
  await print(rehearsalText(rehearsal));
  const isUnread = staged.contents.entry !== undefined && rehearsal.tools.length === 0;
  if (isUnread && !own.unconfined)
    throw new UsageError(
      "Its module did not register any tools in the rehearsal.",
      "`haft doctor` shows whether this machine can rehearse. --unconfined starts it with your rights, after you confirm.",
    );
  await print(toolsText(rehearsal.tools));
  if (!own.yes && !(await agrees(question))) return EXIT.failed;
  const { name, options } = staged.contents;
  const store = pluginStore(stateOf().root);
  const answers = await answersFor(options, answering({ common, own }, store.answers(name)));
  const tools = isUnread ? await staged.start() : rehearsal.tools;
  staged.install({ tools, ...(own.unconfined ? { unconfined: true } : {}) });
  if (options.length > 0) store.keepAnswers(name, answers);
  await print(common.json ? `${JSON.stringify({ installed: name })}\n` : `Installed: ${name}. New sessions use it.\n`);
  return EXIT.ok;
}

async function update(given: Given, name: string | undefined): Promise<number> {
  const store = pluginStore(stateOf().root);
  const { print } = processTerminal();
  for (const installed of name === undefined ? store.list() : [known(store.list(), name)]) {
    const staged = await stage(given, installed.source, { name: installed.name });
    try {
      const rehearsed = staged.contents.entry === undefined ? [] : (await staged.rehearse()).tools;
      const tools = rehearsed.filter(
        (tool) => !installed.tools.some((one) => JSON.stringify(one) === JSON.stringify(tool)),
      );
      if (staged.isSame && changedSince(installed) === undefined) await print(`${installed.name} is up to date.\n`);
      else if (staged.contents.entry !== undefined && rehearsed.length === 0)
        throw new UsageError(
          `The new version of ${installed.name} did not register any tools in the rehearsal.`,
          "The installed version stays as it is.",
        );
      else if (staged.wider.length === 0 && tools.length === 0) {
        const now = staged.install({ tools: rehearsed, ...(installed.unconfined ? { unconfined: true } : {}) });
        await print(
          `${installed.name}: updated${staged.contents.version ? ` to ${oneLine(staged.contents.version)}` : ""}. Its files have changed: ${installed.hash.slice(0, 12)} is now ${now.hash.slice(0, 12)}. It declares nothing new.\n`,
        );
      } else {
        await print(widerText(installed.name, staged.wider));
        const code = await agreeAndInstall(given, staged, "Update it?");
        if (code !== EXIT.ok) return code;
      }
    } finally {
      staged.discard();
    }
  }
  return EXIT.ok;
}

const answering = ({ common, own }: Pick<Given, "common" | "own">, before: OptionValues): AnswerOptions => ({
  ...{ given: own.config ?? [], before, cwd: real(common.cwd), home: real(homedir()), flag: "--config" },
});

/** Changes the answers to the options of a plugin. Without --config it asks for all of them. */
async function configure(given: Given, name: string | undefined): Promise<number> {
  const store = pluginStore(stateOf().root);
  const { name: found, folder } = known(store.list(), name);
  const { options } = readContents(folder, found);
  const { print } = processTerminal();
  if (options.length === 0) {
    await print(`${found} has no options.\n`);
    return EXIT.ok;
  }
  const answers = await answersFor(options, answering(given, given.own.config ? store.answers(found) : {}));
  store.keepAnswers(found, answers);
  const lines = options.map(({ key, sensitive }) => {
    const value = answers[key];
    return `  ${key}: ${value === undefined ? "not set" : sensitive ? "set" : oneLine(String(value))}\n`;
  });
  await print(`${found}: new sessions use these values.\n${lines.join("")}`);
  return EXIT.ok;
}

async function remove(_: Given, name: string | undefined): Promise<number> {
  const store = pluginStore(stateOf().root);
  const { name: found } = known(store.list(), name);
  store.remove(found);
  await processTerminal().print(`Removed: ${found}. Running sessions keep it until they end.\n`);
  return EXIT.ok;
}

async function list(json: boolean): Promise<number> {
  const plugins = pluginStore(stateOf().root).list();
  const { print } = processTerminal();
  if (json)
    await print(
      `${JSON.stringify(plugins.map(({ name, version, source, hash }) => ({ name, version, source, hash })))}\n`,
    );
  else if (plugins.length === 0) await print("No plugins. `haft plugin add SOURCE` adds one.\n");
  else
    for (const one of plugins)
      await print(
        `${one.name} ${one.version ?? ""} (${oneLine(one.source)})${changedSince(one) ? "  changed since you agreed: disabled" : ""}\n`,
      );
  return EXIT.ok;
}

async function show(_: Given, name: string | undefined): Promise<number> {
  const { declared, tools, folder, hash } = known(pluginStore(stateOf().root).list(), name);
  await processTerminal().print(
    `${folder}\nsha256 ${hash}\n${declared.map((line) => `  ${oneLine(line)}\n`).join("")}${toolsText(tools)}`,
  );
  return EXIT.ok;
}

function known(plugins: readonly InstalledPlugin[], name: string | undefined): InstalledPlugin {
  const found = plugins.find((one) => one.name === name);
  if (found) return found;
  const names = plugins.map((one) => one.name).join(", ") || "none";
  throw new UsageError(
    name === undefined ? "Which plugin?" : `There is no plugin "${oneLine(name)}".`,
    `Installed: ${names}.`,
  );
}
