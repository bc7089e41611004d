import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import type { Image } from "../image/image.ts";
import { readable, toSystem } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";
import type { Change } from "../store/record.ts";
import type { Plan } from "./plan.ts";

/** One path of a preview, in words and as a diff where both sides are text. */
export interface Preview {
  readonly path: string;
  /** "file restored", "folder removed", "mode 644 → 755" ... */
  readonly what: string;
  /** Unified diff from now to then; absent where there is no text. */
  readonly diff?: string;
}

/** Bytes of a side that are still shown as a diff. */
const DIFF_BYTES = 1024 * 1024;

/** What a plan would change, path by path. */
export async function previewOf(ledger: Ledger, plan: Plan): Promise<readonly Preview[]> {
  const sorted = [...plan.net].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Promise.all(
    sorted.map(async (change): Promise<Preview> => {
      const diff = await diffOf(ledger, change);
      return { path: change.path, what: wordsFor(change), ...(diff === undefined ? {} : { diff }) };
    }),
  );
}

/** What happens to a path, in words. */
export function wordsFor({ before, after }: Change): string {
  if (after.type === "none") return `${nameOf(before)} removed`;
  if (before.type === "none") return `${nameOf(after)} restored`;
  if (before.type !== after.type) return `${nameOf(before)} becomes ${nameOf(after)}`;
  if (before.type === "file" && after.type === "file" && before.hash === after.hash)
    return `mode ${modes(before, after)}`;
  if (before.type === "folder" && after.type === "folder") return `mode ${modes(before, after)}`;
  return `${nameOf(after)} changed`;
}

const modes = (before: { readonly mode?: number }, after: { readonly mode?: number }): string =>
  `${before.mode?.toString(8)} → ${after.mode?.toString(8)}`;

function nameOf(image: Image): string {
  if (image.type === "tree") return `folder with ${image.entries.toLocaleString("en")} entries`;
  if (image.type === "link") return `link to ${readable(image.target)}`;
  return image.type;
}

async function diffOf(ledger: Ledger, { path, before, after }: Change): Promise<string | undefined> {
  const old = textOf(before, () => readFileSync(toSystem(path)));
  const next = textOf(after, (hash) => ledger.blobs.read(hash));
  if (old === undefined || next === undefined || old === next) return undefined;
  const { createTwoFilesPatch } = await import("diff");
  return createTwoFilesPatch(readable(path), readable(path), old, next, "now", "then", { context: 3, timeout: 300 });
}

function textOf(image: Image, read: (hash: string) => Buffer): string | undefined {
  if (image.type === "none") return "";
  if (image.type !== "file" || image.kept !== undefined || image.size > DIFF_BYTES) return undefined;
  try {
    const bytes = read(image.hash);
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}
