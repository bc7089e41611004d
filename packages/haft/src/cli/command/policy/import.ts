import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { nearest } from "@haft/core/schema";
import { type Imported, type ImportNote, type ImportOptions, importers, type Peer, peers } from "@haft/policy-tools";
import { lineFinder, mistakeIn } from "../../../app/settings/line-finder.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/**
 * `haft policy import PEER FILE`: converts a peer's permission settings to Haft's. Prints them on standard output, and
 * settings that could not be converted on standard error. `--write` saves them as the project's settings, if there are
 * none.
 */
export const importPeer: Command = async (args) => {
  const { common, own, words } = readOptions(args, { write: "boolean", "leave-reads": "boolean", tests: "string" }, 2);
  const [name, written] = words;
  const peer = peers.find((one) => one === name) ?? unknownPeer(name);
  if (written === undefined) throw new UsageError("Which file?", `Usage: haft policy import ${peer} FILE.`);
  const file = resolve(written);
  const text = await readFile(file, "utf8").catch((thrown: Error) => {
    throw new UsageError(`${written} cannot be read: ${thrown.message}.`, `Name the settings file of ${peer}.`);
  });
  const read = importers[peer](text, optionsFor(peer, file, text, own["leave-reads"] === true));
  const imported = read.settings && isJson(peer) ? withoutMistake(text, read) : read;
  const terminal = processTerminal();
  if (common.json) await terminal.print(`${JSON.stringify(imported)}\n`);
  else terminal.tell(imported.notes.map((note) => `${noteText(note, written)}\n`).join(""));
  if (!imported.settings) {
    terminal.tell("Refused: nothing was imported, because a restriction could not be expressed.\n");
    return EXIT.failed;
  }

  if (Object.keys(imported.settings).length === 0)
    terminal.tell(`${oneLine(written)} has no permission settings of ${peer}. Is it the right file?\n`);
  if (own.tests !== undefined) await writeTests(resolve(own.tests), imported);
  const settings = `${JSON.stringify(imported.settings, null, 2)}\n`;
  if (!own.write) {
    if (!common.json) await terminal.print(settings);
    return EXIT.ok;
  }
  const target = join(projectRoot(real(common.cwd)), ".haft", "settings.json");
  if (!existsSync(target)) {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, settings, { flag: "wx" });
    terminal.tell(`Written: ${oneLine(target)}\n`);
    return EXIT.ok;
  }
  if (!common.json) await terminal.print(settings);
  terminal.tell(`${oneLine(target)} exists already and was not changed. Merge the rules above by hand.\n`);
  return EXIT.failed;
};

function unknownPeer(name: string | undefined): never {
  const close = name === undefined ? undefined : nearest(name, peers);
  throw new UsageError(
    name === undefined ? "Whose settings?" : `Settings of "${name}" cannot be imported.`,
    close ? `Did you mean ${close}?` : `Usage: haft policy import ${peers.join("|")} FILE.`,
  );
}

/** Only JSON formats can map settings to lines here; the others find their own. */
const isJson = (peer: Peer): boolean => peer !== "codex" && peer !== "gemini";

const optionsFor = (peer: Peer, file: string, text: string, leaveReads: boolean): ImportOptions => ({
  ...{ scope: scopeOf(file), leaveReads },
  ...(isJson(peer) ? { lineOf: lineFinder(text) } : {}),
});

/** If a JSON key occurs twice, the second wins, and the first may have been the one that denies. */
function withoutMistake(text: string, imported: Imported): Imported {
  const mistake = mistakeIn(text);
  if (mistake === undefined) return imported;
  const { message, cure, line } = mistake;
  return { notes: [{ severity: "error", from: "", line, message: `${message} ${cure}` }], tests: [] };
}

function scopeOf(file: string): NonNullable<ImportOptions["scope"]> {
  if (dirname(real(file)) === join(real(homedir()), ".claude")) return "user";
  return basename(file) === "settings.local.json" ? "local" : "project";
}

async function writeTests(path: string, { tests, settings }: Imported): Promise<void> {
  const { allow = [], ask = [], deny = [] } = settings?.permissions ?? {};
  if (tests.length === 0) throw new UsageError("The file has no examples to test with.", "Leave --tests out.");
  await writeFile(path, `${JSON.stringify({ rules: { allow, ask, deny }, tests }, null, 2)}\n`, { flag: "wx" }).catch(
    (thrown: Error) => {
      throw new UsageError(`${path} cannot be written: ${thrown.message}.`, "Name a file that does not exist.");
    },
  );
}

const noteText = ({ severity, from, line, message }: ImportNote, file: string): string =>
  oneLine(`${file}${line === undefined ? "" : `:${line}`}: ${severity}: ${from === "" ? "" : `${from}: `}${message}`);
