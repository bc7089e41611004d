import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parent } from "@haft/core/tool";
import { toSystem } from "../image/raw-path.ts";
import type { Trace } from "../image/trace.ts";

/** So few paths are arguments of the program itself: two processes fewer to start. */
const FEW = 32;
/** Fewer entries are copied by one program. */
const MANY = 2_000;
const MOST_PROGRAMS = 4;

/** Paths below a folder that begin with a slash. */
type Paths = readonly string[];

/** Copies entries with everything that belongs to them, as references where the file system has these. */
export function copyEntries(from: string, to: string, lists: readonly Paths[], scratch: string): void {
  const input = (paths: Paths): Buffer =>
    Buffer.concat(paths.flatMap((path) => [Buffer.from("."), Buffer.from(toSystem(path)), Buffer.from("\0")]));
  const filled = lists.filter((paths) => paths.length > 0);
  const paths = filled.flat();
  if (paths.length === 0) return;
  // An entry that vanished or cannot be read is missing in the copy; the index knows only those that are there.
  const start = (program: string, words: readonly string[]): void => {
    const ran = spawnSync(program, words, { cwd: from, stdio: "ignore" });
    if (ran.error) throw ran.error;
  };
  if (paths.length <= FEW && paths.every((path) => typeof toSystem(path) === "string")) {
    start("cp", [...COPY, "-t", to, "--", ...paths.map((path) => `.${path}`)]);
    return;
  }
  const files = filled.map((list, index) => {
    const file = join(scratch, `list-${index}`);
    writeFileSync(file, input(list), { mode: 0o600 });
    return file;
  });
  const script = `to=$1; shift; for list; do xargs -0 cp ${COPY.join(" ")} -t "$to" -- <"$list" & done; wait`;
  start("/bin/sh", ["-c", script, "sh", to, ...files]);
}

const COPY = ["-a", "--reflink=auto", "--remove-destination", "--parents"];

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
