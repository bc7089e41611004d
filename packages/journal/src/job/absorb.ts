import { beginKeeping } from "../before-images.ts";
import { type Before, COPIES, COPY_BYTES } from "../direct/before.ts";
import { linkTarget } from "../image/image.ts";
import { type Scan, scan } from "../image/scan.ts";
import { type Trace, traceOf } from "../image/trace.ts";
import type { Ledger } from "../ledger.ts";
import { attributesAt } from "../store/details.ts";
import type { Change } from "../store/record.ts";

/**
 * Updates the known state of folders with changes that are already in the journal. They are then not reported again,
 * and their new content is kept if it is small. `after` is a full scan that replaces the known state.
 */
export function absorbed(ledger: Ledger, before: Before, changes: readonly Change[], after?: Scan): Before {
  if (after && !after.complete) return { ...before, scan: after };
  if (!before.scan.complete || changes.length === 0) return before;
  const entries = new Map(before.scan.entries);
  const copies = new Map(before.copies);
  const links = new Map(before.links);
  const clean = new Map(before.git?.clean);
  const keeping = beginKeeping(ledger);
  const settle = (path: string, trace: Trace | undefined) => {
    for (const known of [entries, copies, links, clean]) known.delete(path);
    if (!trace) return;
    entries.set(path, trace);
    if (trace.kind === "link") links.set(path, linkTarget(path));
    const isSmall = trace.kind === "file" && trace.size <= COPY_BYTES;
    if (isSmall && copies.size < COPIES) copies.set(path, keeping.copy(path));
  };
  for (const change of changes) {
    const { path } = change;
    if (!before.folders.some((folder) => path.startsWith(`${folder}/`))) continue;
    const isTree = change.before.type === "tree" || change.after.type === "tree";
    if (isTree) for (const inner of [...entries.keys()]) if (inner.startsWith(`${path}/`)) settle(inner, undefined);
    settle(path, after ? after.entries.get(path) : traceOf(path));
    if (isTree && !after) for (const [inner, trace] of scan(path).entries) settle(inner, trace);
  }
  keeping.seal();
  const git = before.git && { ...before.git, clean };
  const attributes = new Map(before.attributes);
  const paths = changes.map(({ path }) => path);
  for (const path of paths) attributes.delete(path);
  for (const [path, all] of attributesAt(paths.filter((path) => entries.has(path)))) attributes.set(path, all);
  return { ...before, scan: { entries, complete: true }, git, copies, links, attributes };
}
