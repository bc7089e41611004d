import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Origins } from "@haft/core/executor";
import { isWithin } from "@haft/core/tool";

/** One line of the file: the sources of a file's content. No sources mean that the content is the workspace's own again. */
interface Line {
  readonly path: string;
  readonly sources?: readonly string[];
  /** Applies to everything below it, too. */
  readonly tree?: true;
}

/** Most sources that are kept for one file. */
const MOST_SOURCES = 20;

/** Keeps origins in a file if one is given; otherwise in memory, until the process ends. */
export function openOrigins(file?: string): Origins {
  let known: Map<string, Line> | undefined;
  const load = (): Map<string, Line> => {
    known ??= read(file);
    return known;
  };
  const keep = (line: Line): void => {
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  };
  return {
    of(path, tree) {
      const holds = (line: Line): boolean =>
        line.path === path || (line.tree === true && isWithin(line.path, path)) || (tree && isWithin(path, line.path));
      const found = [...load().values()].filter(holds).flatMap(({ sources = [] }) => sources);
      return [...new Set(found)].slice(0, MOST_SOURCES);
    },
    note(path, sources, tree) {
      const before = load().get(path);
      const all = [...new Set([...(before?.sources ?? []), ...sources])].slice(0, MOST_SOURCES);
      if (before && all.length === before.sources?.length) return;
      const line: Line = { path, sources: all, ...(tree ? { tree: true } : {}) };
      load().set(path, line);
      keep(line);
    },
    forget(path) {
      if (load().delete(path)) keep({ path });
    },
  };
}

/** Skips a line that cannot be parsed: its file is unknown. */
function read(file: string | undefined): Map<string, Line> {
  const known = new Map<string, Line>();
  for (const text of linesOf(file)) {
    const line = parsed(text);
    if (!line) continue;
    if (line.sources) known.set(line.path, line);
    else known.delete(line.path);
  }
  return known;
}

function linesOf(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
