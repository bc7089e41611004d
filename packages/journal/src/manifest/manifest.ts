import { createHash } from "node:crypto";
import type { HeldChange, Manifest } from "@haft/core/executor";
import { isPrivatePath } from "@haft/core/policy";
import { type Change as ChangeWord, type Display, display } from "@haft/core/tool";
import { type Image, statOf } from "../image/image.ts";
import { readable } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";
import { type Preview, previewChanges } from "../undo/preview.ts";
import { type Inspection, inspect } from "./inspect.ts";

/** The changes of a view, for a decision about them. */
export function manifestOf(id: string, changes: readonly Change[], at: Inspection): Manifest {
  const leaks = sharedElsewhere(changes);
  return {
    id,
    digest: digestOf(changes),
    changes: changes.map(
      (change): HeldChange => ({
        path: change.path,
        change: changeWord(change),
        ...(leaks.has(change.path)
          ? { doubt: `${change.path} has hard links outside the workspace.` }
          : inspect(change, at)),
      }),
    ),
    show: async () => displayOf(at.root, await previewOfView(changes, at.upper)),
  };
}

/** Files written in place that have hard links outside the changes: those would change, too. */
function sharedElsewhere(changes: readonly Change[]): ReadonlySet<string> {
  const shared = changes.flatMap(({ path, shared }) => (shared ? [{ path, found: statOf(path) }] : []));
  const count = Map.groupBy(shared, ({ found }) => found?.ino);
  return new Set(
    shared.flatMap(({ path, found }) => (found && found.nlink > (count.get(found.ino)?.length ?? 0) ? [path] : [])),
  );
}

/** A digest over every path and its new state, without owners and times, as in undo. */
export function digestOf(changes: readonly Change[]): string {
  const sorted = [...changes].sort((a, b) => (a.path < b.path ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify(sorted.map(({ path, after }) => [path, bare(after)])))
    .digest("hex");
}

/** Removes fields that differ between two looks. */
function bare(image: Image): object {
  const { owner: _owner, kept: _kept, ...rest } = image as Image & { owner?: unknown; kept?: unknown };
  return rest;
}

function changeWord({ before, after }: Change): ChangeWord {
  if (after.type === "none") return "delete";
  if (before.type === "none") return "create";
  return before.type === after.type ? "modify" : "replace";
}

/** The changes of a view as diffs from the current state to the new one. */
export const previewOfView = (
  changes: readonly Change[],
  upper: (path: string) => string,
): Promise<readonly Preview[]> => previewChanges(changes, { next: ({ path }) => upper(path), made: "made" });

/** Most paths in a display; the rest is only counted. */
const SHOWN = 100;

/** The changes for people: one item for each path. */
export function displayOf(root: string, previews: readonly Preview[]): Display {
  const items = previews.slice(0, SHOWN).map(({ path, what, diff }): Display => {
    const name = readable(display(root, path));
    return { kind: "text", text: diff === undefined ? `${name}: ${what}` : `${name}: ${what}\n${bodyOf(diff)}` };
  });
  const more = previews.length > SHOWN ? [{ kind: "text", text: `and ${previews.length - SHOWN} more` } as const] : [];
  return { kind: "group", title: "Changes", items: [...items, ...more] };
}

/** Most characters of diffs for a model. */
const TEXT_CHARS = 20_000;

/**
 * The changes as text for a model: one line for each path, with its diff while there is room. A grant to change a
 * private file is not a grant to read it, so only people get the diff of such a file.
 */
export function changesText(root: string, previews: readonly Preview[]): string {
  let room = TEXT_CHARS;
  const lines = previews.slice(0, SHOWN).map(({ path, what, diff }) => {
    const isPrivate = diff !== undefined && isPrivatePath(path);
    const head = `  ${readable(display(root, path))}: ${what}${isPrivate ? " (private: its content is not shown)" : ""}`;
    const body = diff === undefined || isPrivate ? "" : bodyOf(diff).replace(/^/gm, "    ");
    room -= body.length;
    return body === "" || room < 0 ? head : `${head}\n${body}`;
  });
  return [...lines, ...(previews.length > SHOWN ? [`  and ${previews.length - SHOWN} more`] : [])].join("\n");
}

/** A unified diff without its first two lines, which only name the file. */
const bodyOf = (diff: string): string => diff.split("\n").slice(2).join("\n").trimEnd();
