import { readFile } from "node:fs/promises";
import { basename, parent, resolve } from "@haft/core/tool";

/**
 * Paths that the configurations of repositories refer to: the hooks folder, and included files. Both may be among ordinary
 * files, where their names do not show that they run.
 */
export async function gitTargets(held: readonly string[], home: string): Promise<readonly string[]> {
  const configs = held.filter((path) => basename(path) === "config" && path.includes("/.git/"));
  const found = await Promise.all(
    configs.map(async (path) => {
      const text = await readFile(path, "utf8").catch(() => "");
      const folder = path.slice(0, path.indexOf("/.git/"));
      return [
        ...valuesOf(text, /^\s*(?:\[core\]\s*)?hookspath\s*=\s*(.+)$/gim).map((value) => from(folder, value, home)),
        ...valuesOf(text, /^\s*(?:\[include[^\]]*\]\s*)?path\s*=\s*(.+)$/gim).map((value) =>
          from(parent(path), value, home),
        ),
      ];
    }),
  );
  // A hooks folder that is the whole repository cannot be held without blocking all work in it.
  return found.flat().filter((path) => !configs.some((config) => config.startsWith(`${path}/.git/`)));
}

const valuesOf = (text: string, line: RegExp): readonly string[] =>
  [...text.matchAll(line)].map((match) => (match[1] ?? "").trim().replace(/^"(.*)"$/, "$1"));

const from = (folder: string, value: string, home: string): string =>
  value.startsWith("~/") ? resolve(home, value.slice(2)) : resolve(folder, value);
