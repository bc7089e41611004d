import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import type { ResidentProgram } from "@haft/host/files";
import { toSystem } from "../image/raw-path.ts";
import type { Trace } from "../image/trace.ts";

/** Fewer entries are copied by one program. */
const MANY = 2_000;
const MOST_PROGRAMS = 4;

/** Paths below a folder that begin with a slash. */
type Paths = readonly string[];

/**
 * Copies entries with everything that belongs to them, as references where the file system has these. An entry that vanishes
 * or cannot be read is missing in the copy.
 */
export async function copyEntries(
  from: string,
  to: string,
  lists: readonly Paths[],
  { scratch, shell }: { readonly scratch: string; readonly shell: ResidentProgram },
): Promise<void> {
  const filled = lists.filter((paths) => paths.length > 0);
  if (filled.length === 0) return;
  const copies = filled.flatMap((paths, index) => {
    const list = join(scratch, `list-${index}`);
    writeFileSync(list, Buffer.concat(paths.flatMap((path) => [DOT, Buffer.from(toSystem(path)), NUL])), {
      mode: 0o600,
    });
    return [
      "xargs -0 cp -a --reflink=auto --remove-destination --parents -t ",
      quoted(to),
      " -- <",
      quoted(list),
      " & ",
    ];
  });
  const script = ["{ cd ", quoted(from), " && { ", ...copies, "wait; }; cd /; } >/dev/null 2>&1; echo\n"];
  const answer = await shell.ask(Buffer.concat(script.map((part) => Buffer.from(part))));
  if (answer === undefined) throw new Error("The shell that copies files has ended.");
}

const DOT = Buffer.from(".");
const NUL = Buffer.from("\0");

/** A path as a word of the shell, byte by byte. */
const quoted = (path: string): Buffer =>
  Buffer.from(`'${Buffer.from(toSystem(path)).toString("latin1").replaceAll("'", "'\\''")}'`, "latin1");

/** Folders that are too big for one of several programs; `undefined` if one program must copy all. */
export function tooBigForOne(
  fresh: readonly (readonly [string, Trace])[],
  root: string,
): ReadonlySet<string> | undefined {
  // Names of one file are linked only within the run of one program.
  const hasLinks = fresh.some(([, { kind, names }]) => kind === "file" && names > 1);
  if (fresh.length < MANY || hasLinks || programs() < 2) return undefined;
  const below = new Map<string, number>();
  for (const [path] of fresh)
    for (let above = parent(path); above.length > root.length; above = parent(above))
      below.set(above, (below.get(above) ?? 0) + 1);
  const isOpen = new Set(fresh.filter(([, { mode }]) => (mode & 0o700) === 0o700).map(([path]) => path));
  const most = fresh.length / programs() / 2;
  return new Set([...below].filter(([path, count]) => count > most && isOpen.has(path)).map(([path]) => path));
}

const programs = (): number => Math.min(MOST_PROGRAMS, availableParallelism());

/** Shares paths out to programs by the number of entries in each. */
export function shares(weights: ReadonlyMap<string, number>, areMany: boolean): readonly Paths[] {
  if (!areMany) return [[...weights.keys()]];
  const all = Array.from({ length: programs() }, () => ({ paths: [] as string[], weight: 0 }));
  for (const [path, weight] of [...weights].sort(([, a], [, b]) => b - a)) {
    const lightest = all.reduce((least, one) => (one.weight < least.weight ? one : least));
    lightest.paths.push(path);
    lightest.weight += weight;
  }
  return all.map(({ paths }) => paths);
}
