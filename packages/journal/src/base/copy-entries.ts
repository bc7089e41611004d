import { accessSync, constants, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import type { ResidentProgram } from "@haft/host/files";
import { toSystem } from "../image/raw-path.ts";
import { scan } from "../image/scan.ts";
import { type Trace, traceOf } from "../image/trace.ts";
import { attributesAt } from "../store/details.ts";

/** Fewer entries are copied by one program. */
const MANY = 2_000;
const MOST_PROGRAMS = 4;

/** Paths below a folder that begin with a slash. */
type Paths = readonly string[];

/**
 * Copies entries with everything that belongs to them, as references where the file system has these. An entry that vanishes,
 * or that cannot be copied with its owner and attributes, is missing in the copy.
 */
export async function copyEntries(
  from: string,
  to: string,
  lists: readonly Paths[],
  { scratch, shell }: { readonly scratch: string; readonly shell: ResidentProgram },
): Promise<void> {
  const filled = lists.filter((paths) => paths.length > 0);
  if (filled.length === 0) return;
  const jobs = filled.map((_, index) => `wait $p${index} || s=1; `);
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
      ` & p${index}=$!; `,
    ];
  });
  const work = ["{ s=1; cd ", quoted(from), " && { s=0; ", ...copies, ...jobs, "}; cd /; } >/dev/null 2>&1; "];
  const script = [...work, "echo $s\n"];
  const answer = await shell.ask(Buffer.concat(script.map((part) => Buffer.from(part))));
  if (answer === undefined) throw new Error("The shell that copies files has ended.");
  if (`${answer}`.trim() !== "0") dropPartial(from, to, filled.flat());
}

/** Removes copies that lack something of their originals: after an error, `cp` goes on without times, owner or attributes. */
function dropPartial(from: string, to: string, tops: Paths): void {
  const below = tops.flatMap((top) => [
    top,
    ...[...scan(from + top, ALL).entries.keys()].map((path) => path.slice(from.length)),
  ]);
  const attributes = attributesAt(below.flatMap((path) => [from + path, to + path]));
  const texts = (path: string) => JSON.stringify(attributes.get(path) ?? {});
  for (const path of below) {
    const [old, copy] = [traceOf(from + path), traceOf(to + path)];
    if (!copy) continue;
    const isWhole = old && isLike(old, copy) && texts(from + path) === texts(to + path) && canRead(from + path, old);
    if (!isWhole) rmSync(toSystem(to + path), { recursive: true, force: true });
  }
}

const ALL = { limit: Number.POSITIVE_INFINITY };

function isLike(old: Trace, copy: Trace): boolean {
  if (old.kind !== copy.kind || (old.mode & 0o777) !== (copy.mode & 0o777)) return false;
  // Only root can give a file away.
  if (process.geteuid?.() === 0 && `${old.owner}` !== `${copy.owner}`) return false;
  return old.kind !== "file" || (old.size === copy.size && old.written === copy.written);
}

/** A folder that cannot be read has an empty copy. */
function canRead(path: string, { kind }: Trace): boolean {
  if (kind !== "folder") return true;
  try {
    accessSync(toSystem(path), constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
