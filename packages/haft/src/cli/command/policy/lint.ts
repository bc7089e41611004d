import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { SettingsLayer } from "@haft/core/policy";
import { counted } from "@haft/core/tool";
import { lintFolder } from "../../../app/settings/lint-folder.ts";
import { readSettingsFiles } from "../../../app/settings/settings-files.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-code.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/** `haft policy lint [FILE]`: checks the settings of this folder, or one file. */
export const lint: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const terminal = processTerminal();
  const layers = words[0] === undefined ? layersHere(common) : layersOf(resolve(words[0]));
  const root = projectRoot(real(common.cwd));
  const remarks = await lintFolder(layers, { root, home: real(homedir()) });
  if (common.json) await terminal.print(`${JSON.stringify({ files: layers.map(({ file }) => file), remarks })}\n`);
  else {
    for (const { severity, file, line, rule, message, cure } of remarks) {
      const place = `${file}${line === undefined ? "" : `:${line}`}`;
      const about = rule === undefined || message.includes(rule) ? "" : `${rule}: `;
      await terminal.print(`${oneLine(`${place}: ${severity}: ${about}${message} ${cure}`)}\n`);
    }
    terminal.tell(`${counted(layers.length, "file")}, ${counted(remarks.length, "remark")}.\n`);
  }
  return remarks.some(({ severity }) => severity === "error") ? EXIT.usage : EXIT.ok;
};

function layersHere({ cwd, settings, withoutUserSettings }: CommonOptions): SettingsLayer[] {
  return readSettingsFiles({
    root: projectRoot(real(cwd)),
    home: real(homedir()),
    withoutUser: withoutUserSettings,
    ...(settings === undefined ? {} : { extra: settings }),
  });
}

/** A single file, without the settings around it. */
const layersOf = (file: string): SettingsLayer[] =>
  readSettingsFiles({ root: dirname(file), home: dirname(file), withoutUser: true, extra: file }).slice(0, 1);
