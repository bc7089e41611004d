import { spawnSync } from "node:child_process";
import { fromBytes } from "./raw-path.ts";
import type { Trace } from "./trace.ts";

/** Entries of one folder, by name. */
export type Listed = ReadonlyMap<string, ReadonlyMap<string, Trace>>;

/** GNU find alone has `-printf`; other ones fail. */
const FIND = "/usr/bin/find";
const FORMAT = "%y %i %s %m %U %G %n %C@ %T@ %P\\0";
const KINDS: Readonly<Record<string, Trace["kind"]>> = { f: "file", d: "folder", l: "link", p: "pipe" };
const ROW = /^(.) (\d+) (\d+) ([0-7]+) (\d+) (\d+) (\d+) (\d+)\.(\d{9})\d* (\d+)\.(\d{9})\d* /s;

/**
 * Everything below a folder by its folders (relative, "" for the top), from one program: in about half of the time that Node
 * takes. `undefined` if it cannot tell everything.
 */
export function listByFind(root: Buffer | string): Listed | undefined {
  if (process.platform !== "linux" || typeof root !== "string") return undefined;
  const ran = spawnSync(FIND, ["-P", `${root}/`, "-mindepth", "1", "-printf", FORMAT], {
    env: { LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  // Exit code 1: a folder could not be read, which counts as empty.
  if (ran.error || ran.signal || (ran.status ?? 2) > 1 || ran.stdout.length === 0) return undefined;
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  const folders = new Map<string, Map<string, Trace>>();
  for (const row of rowsOf(ran.stdout)) {
    const found = ROW.exec(row);
    if (!found) return undefined;
    const path = row.slice(found[0].length);
    const cut = path.lastIndexOf("/");
    const folder = cut < 0 ? "" : path.slice(0, cut);
    const names = folders.get(folder) ?? new Map<string, Trace>();
    if (names.size === 0) folders.set(folder, names);
    names.set(path.slice(cut + 1), traceIn(found, uid, gid));
  }
  return folders;
}

/** Rows as text. A path that is not UTF-8 keeps its bytes, name by name. */
function rowsOf(output: Buffer): readonly string[] {
  const text = output.toString("utf8");
  if (!text.includes("\ufffd")) return text.split("\0").slice(0, -1);
  const rows: string[] = [];
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from);
    const row = output.subarray(from, end);
    const names: string[] = [];
    for (let start = 0; start <= row.length; ) {
      const slash = row.indexOf(0x2f, start);
      const stop = slash < 0 ? row.length : slash;
      names.push(fromBytes(row.subarray(start, stop)));
      start = stop + 1;
    }
    rows.push(names.join("/"));
    from = end + 1;
  }
  return rows;
}

function traceIn(row: RegExpExecArray, uid: number | undefined, gid: number | undefined): Trace {
  const [, letter = "", inode = "", bytes = "", octal = "", user, group, names, changed, part, written, rest] = row;
  const kind = KINDS[letter] ?? "other";
  const mode = Number.parseInt(octal, 8);
  const [owner, owners] = [Number(user), Number(group)];
  return {
    ...{ kind, mode, size: Number(bytes), inode: BigInt(inode), names: Number(names) },
    ...(owner === uid && owners === gid ? {} : { owner: [owner, owners] as const }),
    written: BigInt(`${written}${rest}`),
    mark: `${inode} ${kind === "folder" ? "" : bytes} ${mode} ${BigInt(`${changed}${part}`)}`,
  };
}
