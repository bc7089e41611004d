import { isUtf8 } from "node:buffer";
import { grouped } from "@haft/core/tool";
import { equal, holds, type Image, readWhole } from "../image/image.ts";
import { readable } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";
import type { Change, Entry } from "../store/record.ts";
import type { Plan } from "./plan.ts";

/** One path of a preview, in words and as a diff where both sides are text. */
export interface Preview {
  readonly path: string;
  /** "file restored", "folder removed", "mode 644 → 755" ... */
  readonly what: string;
  /** Unified diff from the current to the new state; absent if a side is not text. */
  readonly diff?: string;
}

/** Largest side, in bytes, that is still shown as a diff. */
const DIFF_BYTES = 1024 * 1024;

/** Source of a side's content: the path of a file, or the content itself. */
export type Side = (change: Change) => string | Buffer;

/** The two sides of a change. */
export interface Sides {
  /** Default: the path itself. */
  readonly now?: Side;
  readonly next: Side;
  /** The word for an entry that did not exist before. Default `restored`. */
  readonly made?: "restored" | "made";
}

/** The changes of a plan, path by path. */
export const previewOf = (ledger: Ledger, plan: Plan): Promise<readonly Preview[]> =>
  previewChanges(plan.net, { next: kept(ledger, "after") });

/** One side of a change, from the contents that the journal keeps. */
const kept =
  ({ blobs }: Ledger, side: "before" | "after"): Side =>
  (change) => {
    const image = change[side];
    return image.type === "file" ? blobs.read(image.hash) : Buffer.alloc(0);
  };

/**
 * The changes of a call, as far as the journal knows them. The old content is kept. The new content is known while it
 * is unchanged, or if it is the old content of a later change.
 */
export const previewOfEntry = (ledger: Ledger, { changes }: Pick<Entry, "changes">): Promise<readonly Preview[]> =>
  previewChanges(changes, { now: kept(ledger, "before"), next: newContent(ledger), made: "made" });

const newContent =
  ({ blobs }: Ledger): Side =>
  ({ path, after }) => {
    if (after.type !== "file") return Buffer.alloc(0);
    return holds(path, after) ? path : blobs.read(after.hash);
  };

/** Changes path by path, with diffs where both sides are text. */
export async function previewChanges(changes: readonly Change[], sides: Sides): Promise<readonly Preview[]> {
  const sorted = [...changes].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Promise.all(
    sorted.map(async (change): Promise<Preview> => {
      const diff = await diffOf(change, sides);
      return { path: change.path, what: wordsFor(change, sides.made), ...(diff === undefined ? {} : { diff }) };
    }),
  );
}

/** The change of a path in words. `made`: it is done for the first time, not undone. */
export function wordsFor({ before, after }: Change, made: "restored" | "made" = "restored"): string {
  if (after.type === "none") return `${nameOf(before)} removed`;
  if (before.type === "none") return `${nameOf(after)} ${made}`;
  if (before.type !== after.type) return `${nameOf(before)} becomes ${nameOf(after)}`;
  if (before.type === "file" && after.type === "file" && before.hash === after.hash) return detailWords(before, after);
  if (before.type === "folder" && after.type === "folder") return detailWords(before, after);
  return `${nameOf(after)} changed`;
}

type Detailed = Extract<Image, { readonly type: "file" | "folder" }>;

function detailWords(before: Detailed, after: Detailed): string {
  if (before.type === "file" && after.type === "file" && before.linkOf !== after.linkOf && equal(before, after))
    return "hard links changed";
  if (before.mode !== after.mode) return `mode ${modes(before, after)}`;
  const [old, next] = [before.owner?.join(":"), after.owner?.join(":")];
  if (old !== next) return `owner ${old ?? "this user"} → ${next ?? "this user"}`;
  return equal(before, after) ? `mode ${modes(before, after)}` : "attributes changed";
}

const modes = (before: { readonly mode?: number }, after: { readonly mode?: number }): string =>
  `${before.mode?.toString(8)} → ${after.mode?.toString(8)}`;

function nameOf(image: Image): string {
  if (image.type === "tree") return `folder with ${grouped(image.entries)} entries`;
  if (image.type === "link") return `link to ${readable(image.target)}`;
  return image.type;
}

async function diffOf(change: Change, { now = ({ path }) => path, next }: Sides): Promise<string | undefined> {
  const { path, before, after } = change;
  const old = textOf(before, () => bytesOf(now(change)));
  const later = textOf(after, () => bytesOf(next(change)));
  if (old === undefined || later === undefined || old === later) return undefined;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY: headerOptions } = await import("diff");
  const name = path.toWellFormed();
  return createTwoFilesPatch(name, name, old, later, "now", "then", { context: 3, timeout: 300, headerOptions });
}

const bytesOf = (place: string | Buffer): Buffer => (typeof place === "string" ? readWhole(place).bytes : place);

function textOf(image: Image, read: () => Buffer): string | undefined {
  if (image.type === "none") return "";
  if (image.type !== "file" || image.kept !== undefined || image.size > DIFF_BYTES) return undefined;
  try {
    const bytes = read();
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}
