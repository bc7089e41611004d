import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { modes, type SettingsLayer, type SettingsOrigin } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { bytesOfFile, NotRead } from "@haft/host/whole-file";
import JSON5 from "json5";
import { idleKeys } from "./idle-keys.ts";
import { lineFinder, mistakeIn } from "./line-finder.ts";
import { existingFiles, type SettingsSources } from "./settings-places.ts";

/** A larger file is not a settings file, and would take too long to read. */
const MOST_BYTES = 4_000_000;

/** Reads every existing settings file, strictly. An unreadable file is a layer with an error. */
export function readSettingsFiles(sources: SettingsSources): SettingsLayer[] {
  const layers = existingFiles(sources).map(([origin, file]) => readLayer(origin, file, sources));
  // Named explicitly, so a missing file is an error.
  return sources.extra === undefined ? layers : [readLayer("cli", resolve(sources.extra), sources), ...layers];
}

function readLayer(origin: SettingsOrigin, file: string, { root, names }: SettingsSources): SettingsLayer {
  const broken = (message: string, cure: string, line?: number): SettingsLayer => ({
    origin,
    file,
    settings: {},
    rules: [],
    problems: [{ severity: "error", file, path: [], message, cure, ...(line === undefined ? {} : { line }) }],
  });
  let text: string;
  try {
    // A pipe named on the command line ends by itself, so it is read without a limit.
    const bytes = origin === "cli" ? readFileSync(file) : bytesOfFile(file, MOST_BYTES);
    if (bytes === undefined) return broken("The link is broken.", "Replace it with a file, or remove it.");
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof NotRead)
      return broken(`${thrown.message}.`, "Replace it with a settings file, or remove it.");
    if (thrown instanceof TypeError)
      return broken("The file is not UTF-8, so its rules could be misread.", "Save it as UTF-8.");
    return broken(`The file cannot be read: ${(thrown as Error).message}.`, "Make it readable, or remove it.");
  }
  try {
    const mistake = mistakeIn(text);
    if (mistake) return broken(mistake.message, mistake.cure, mistake.line);
    const base = origin === "project" || origin === "local" ? root : dirname(file);
    const layer = parseSettings(JSON5.parse(text), {
      origin,
      file,
      lineOf: lineFinder(text),
      ...(names ? { names } : {}),
      // createHaft checks whether this machine can support a mode.
      modes,
      resolvePath: (path) => (path.startsWith("~/") ? path : resolve(base, path)),
    });
    return { ...layer, problems: [...layer.problems, ...idleKeys(layer)] };
  } catch (thrown) {
    const { message, lineNumber } = thrown as Error & { lineNumber?: number };
    return broken(
      `This is not JSON5: ${message.replace(/^JSON5: /, "")}.`,
      "Correct the file; until then nothing runs without asking.",
      lineNumber,
    );
  }
}
