import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { expandHome } from "../../app/workspace.ts";

/** A file or folder that a person mentions, with the lines that they mean. */
export interface FileMention {
  /** As written. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly first?: number;
  readonly last?: number;
}

/** Most files that one message sends along. */
const MOST_FILES = 20;

const MENTION = /(?<=^|[\s("'`[])@(?:"([^"\n]{1,1000})"|([^\s"'`()<>[\]]{1,1000}))/g;
const LINES = /^(.*?)(?:#L(\d+)(?:-L?(\d+))?|:(\d+)(?:-(\d+))?)$/;

/** The existing files and folders that a text names as `@path`, `@path#L10-20`, `@path:10-20` or `@"a path"`. */
export function filesMentioned(words: string, cwd: string): readonly FileMention[] {
  const found = [...words.matchAll(MENTION)].flatMap(([, quoted, bare = ""]) => {
    const written = quoted ?? bare;
    // A sentence may end right after a name.
    return mentioned(written, cwd) ?? mentioned(written.replace(/[.,;:!?]+$/, ""), cwd) ?? [];
  });
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()].slice(0, MOST_FILES);
}

function mentioned(written: string, cwd: string): FileMention | undefined {
  const whole = kindOf(written, cwd);
  if (whole) return { path: written, isFolder: whole === "folder" };
  const [, path = "", ...lines] = LINES.exec(written) ?? [];
  if (kindOf(path, cwd) !== "file") return undefined;
  const [first = 1, last] = lines.flatMap((line) => (line === undefined ? [] : [Math.max(1, Number(line))]));
  return { path, isFolder: false, first, ...(last === undefined ? { last: first } : last < first ? {} : { last }) };
}

function kindOf(path: string, cwd: string): "file" | "folder" | undefined {
  if (path === "" || path.includes("\0")) return undefined;
  try {
    const found = statSync(resolve(cwd, expandHome(path, homedir())), { throwIfNoEntry: false });
    return found?.isFile() ? "file" : found?.isDirectory() ? "folder" : undefined;
  } catch {
    return undefined;
  }
}
