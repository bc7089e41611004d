import { statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { parent } from "@haft/core/tool";

/** Ignore files of a folder, by increasing precedence: later ones win. */
const RULE_FILES = [".git/info/exclude", ".gitignore", ".ignore", ".rgignore"] as const;

/** Larger files are not read: nobody writes that many rules. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The ignore rules of a folder. Skips files that are not regular, since they may never end. */
export async function rulesIn(folder: string): Promise<string> {
  const paths = RULE_FILES.map((name) => `${folder}/${name}`).filter((path) => kindOf(path) === "rules");
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8").catch(() => "")));
  return texts.filter((text) => text !== "").join("\n");
}

/** Whether an ignore file of a folder or one above it never ends: a pipe or a device. */
export function isEndlessAt(folder: string): boolean {
  for (let at = folder; ; at = parent(at)) {
    if (RULE_FILES.some((name) => kindOf(`${at === "/" ? "" : at}/${name}`) === "endless")) return true;
    if (at === "/") return false;
  }
}

/** The same for all folders below one. Like the engines, it does not follow links to folders. */
export async function isEndlessBelow(folder: string, signal: AbortSignal): Promise<boolean> {
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined && !signal.aborted; at = folders.pop()) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${at}/${entry.name}`;
      const names = entry.name === ".git" ? [`${path}/info/exclude`] : isRuleName(entry.name) ? [path] : [];
      if (names.some((name) => kindOf(name) === "endless")) return true;
      if (entry.isDirectory() && entry.name !== ".git") folders.push(path);
    }
  }
  return false;
}

const isRuleName = (name: string): boolean => RULE_FILES.some((one) => one === name);

function kindOf(path: string): "rules" | "endless" | "none" {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found || found.isDirectory()) return "none";
    return found.isFile() && found.size <= MAX_BYTES ? "rules" : "endless";
  } catch {
    return "none";
  }
}
