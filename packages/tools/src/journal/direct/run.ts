import type { JournalCall } from "@haft/core/executor";
import type { RunOutcome, RunRequest } from "@haft/core/tool";
import { type Image, imageOf, linkTarget, lookAt, NONE, same, statOf } from "../image/image.ts";
import { beginKeeping, type Keeping } from "../keep.ts";
import type { Ledger } from "../ledger.ts";
import { notesOf, withNotes } from "../notes.ts";
import { lossesIn } from "../store/loss.ts";
import type { Change, Loss } from "../store/record.ts";
import { type GitContents, gitContents } from "./git.ts";
import { type Scan, scan, type Trace } from "./scan.ts";

/** What is copied before a command: single files up to this size, and all of them together. */
const COPY_BYTES = 256 * 1024;
const COPIES_BYTES = 16 * 1024 * 1024;
const COPIES = 2_000;

/**
 * Runs a command in the workspace itself, or in the folders given. What they hold is looked at before and after; old
 * content comes from git where a file was clean, and from copies made beforehand where it was small. Every other change
 * is told as not undoable.
 */
export async function runDirect(
  ledger: Ledger,
  call: JournalCall,
  request: RunRequest,
  run: (request: RunRequest) => Promise<RunOutcome>,
  folders: readonly string[] = [ledger.root],
): Promise<RunOutcome> {
  const before = scanAll(folders);
  const git = join((await Promise.all(folders.map(gitContents))).filter((one) => one !== undefined));
  const keeping = beginKeeping(ledger);
  const copies = before.complete ? copySmall(before, git, keeping) : new Map<string, Image>();
  keeping.seal();
  const links = linksIn(before);
  const entry = { kind: "command", session: call.session, call: call.id, tool: call.tool, turn: call.turn } as const;
  const id = ledger.intend({ ...entry, changes: [] });
  try {
    const outcome = await run(request);
    const losses = await book(ledger, id, before, { folders, git, copies, links });
    return withNotes(outcome, notesOf({ ledger, call, committed: { held: [], losses } }));
  } catch (thrown) {
    await book(ledger, id, before, { folders, git, copies, links });
    throw thrown;
  }
}

function scanAll(folders: readonly string[]): Scan {
  const scans = folders.map((folder) => scan(folder));
  return {
    entries: new Map(scans.flatMap(({ entries }) => [...entries])),
    complete: scans.every(({ complete }) => complete),
  };
}

/** What several repositories have together. */
function join(all: readonly GitContents[]): GitContents | undefined {
  const [first] = all;
  if (!first || all.length === 1) return first;
  const owner = (path: string) => all.find(({ clean }) => clean.has(path)) ?? first;
  return {
    clean: new Map(all.flatMap(({ clean }) => [...clean])),
    isIgnored: (path) => all.some((one) => one.isIgnored(path)),
    read: (object, path) => owner(path).read(object, path),
  };
}

/** Writes down what has changed. What cannot be undone. */
async function book(ledger: Ledger, id: string, before: Scan, known: Known): Promise<readonly Loss[]> {
  const { changes, losses } = before.complete
    ? await compare(ledger, before, known)
    : { changes: [], losses: tooMany(known.folders, "It holds too many files to look at all of them.") };
  if (changes.length === 0 && losses.length === 0) ledger.drop(id);
  else ledger.done(id, changes, losses);
  return [...losses, ...lossesIn(changes)];
}

/** Small files whose content git does not have. Ignored ones come last: they are mostly made by programs. */
function copySmall({ entries }: Scan, git: GitContents | undefined, keeping: Keeping): Map<string, Image> {
  const wanted = [...entries].filter(
    ([path, { kind, size }]) => kind === "file" && size <= COPY_BYTES && !git?.clean.has(path) && !isObject(path),
  );
  const ignored = ([path]: [string, Trace]) => Number(git?.isIgnored(path) ?? false);
  const copies = new Map<string, Image>();
  let bytes = 0;
  for (const [path, { size }] of wanted.sort((a, b) => ignored(a) - ignored(b))) {
    bytes += size;
    if (copies.size >= COPIES || bytes > COPIES_BYTES) break;
    copies.set(path, keeping.keep(path));
  }
  return copies;
}

/** Objects of a repository are never changed, only added; git sets their times when it meets them again. */
const isObject = (path: string): boolean => path.includes("/.git/objects/");

function linksIn({ entries }: Scan): ReadonlyMap<string, string> {
  return new Map(
    [...entries].flatMap(([path, { kind }]) => (kind === "link" ? [[path, linkTarget(path)] as const] : [])),
  );
}

const tooMany = (folders: readonly string[], why: string): readonly Loss[] => folders.map((path) => ({ path, why }));

interface Known {
  readonly folders: readonly string[];
  readonly git: GitContents | undefined;
  readonly copies: ReadonlyMap<string, Image>;
  readonly links: ReadonlyMap<string, string>;
}

async function compare(ledger: Ledger, before: Scan, known: Known) {
  const after = scanAll(known.folders);
  const keeping = beginKeeping(ledger);
  const changes: Change[] = [];
  const losses: Loss[] = [];
  for (const [path, trace] of before.entries) {
    const then = after.entries.get(path);
    if (then?.mark === trace.mark || (then && isObject(path) && then.size === trace.size && then.mode === trace.mode))
      continue;
    const now = lookAt(path);
    const old = await oldImage(keeping, path, trace, known);
    if (same(old, now)) continue;
    changes.push({ path, before: old, after: now, ...(isShared(path, trace) ? { shared: true } : {}) });
  }
  for (const path of after.entries.keys()) {
    const found = before.entries.has(path) ? undefined : statOf(path);
    if (found) changes.push({ path, before: NONE, after: imageOf(path, found) });
  }
  keeping.seal();
  if (!after.complete)
    losses.push(...tooMany(known.folders, "The command made too many files to look at all of them."));
  return { changes, losses };
}

/** Whether it is the same file as before and has other names. */
function isShared(path: string, { kind, inode }: Trace): boolean {
  const now = kind === "file" ? statOf(path) : undefined;
  return now?.isFile() === true && now.ino === inode && now.nlink > 1n;
}

/** What was there before the command, with its content kept. */
async function oldImage(keeping: Keeping, path: string, trace: Trace, { git, copies, links }: Known): Promise<Image> {
  const { kind, mode, size } = trace;
  if (kind === "folder") return { type: "folder", mode };
  if (kind === "link") return { type: "link", target: links.get(path) ?? "" };
  if (kind === "pipe") return { type: "pipe", mode };
  if (kind === "other") return { type: "lost", why: "Sockets and devices cannot be brought back." };
  const copy = copies.get(path);
  if (copy) return copy;
  const object = git?.clean.get(path);
  const content = object === undefined ? undefined : await git?.read(object, path).catch(() => undefined);
  // Another size would mean that a filter of git's stands between the object and the file.
  if (content?.length === size) return { type: "file", hash: keeping.keepBytes(content), size, mode };
  return { type: "lost", why: "Nobody has its old content: it was not in git, and too big to be copied beforehand." };
}
