import type { FileChange, JournalCall } from "../executor/index.ts";
import { type Files, fail } from "../tool/index.ts";
import type { FileState, UndoJournal, UndoResult } from "./stores.ts";
import { hashOf } from "./text.ts";

/** The content of a path; `undefined` if there is no file. */
type Image = Uint8Array | undefined;

interface Entry {
  readonly call: JournalCall;
  readonly path: string;
  readonly before: Image;
  readonly after: Image;
  isUndone: boolean;
}

/**
 * A journal over the files of a host, in memory. It undoes writes and removals by tools. It does not see changes by
 * programs, so mode `undoable` and dry runs refuse commands.
 */
export function createFilesJournal(files: Files): UndoJournal {
  const entries: Entry[] = [];

  async function imageAt(path: string): Promise<Image> {
    return (await files.locate(path)).kind === "file" ? files.bytes(path) : undefined;
  }

  async function carryOut(kind: UndoResult["kind"], scope: { call?: string; session?: string }): Promise<UndoResult> {
    const chosen = select(entries, kind, scope);
    const steps = kind === "undo" ? chosen.toReversed() : chosen;
    const first = new Map<string, { readonly state: Image; readonly call: string }>();
    for (const entry of steps)
      if (!first.has(entry.path))
        first.set(entry.path, { state: kind === "undo" ? entry.after : entry.before, call: entry.call.id });
    for (const [path, { state }] of first)
      if (!isSame(await imageAt(path), state))
        fail("conflict", `${path} was changed since. Nothing was changed.`, "Look at the file, and change it by hand.");
    for (const entry of steps) {
      const { path } = entry;
      const [now, next] = kind === "undo" ? [entry.after, entry.before] : [entry.before, entry.after];
      const expect = now === undefined ? "absent" : await hashOf(now);
      if (next !== undefined) await files.write(path, next, { expect });
      else await files.remove(path, { expect });
      entry.isUndone = kind === "undo";
    }
    const changed = await Promise.all(
      [...first].map(async ([path, { state }]) => ({
        path,
        before: await stateOf(state),
        after: await stateOf(await imageAt(path)),
      })),
    );
    const calls = [...new Map(chosen.map(({ call }) => [call.id, call])).values()];
    return {
      kind,
      calls: calls.map(({ id, tool, session }) => ({ id, tool, session })),
      changed,
      kept: [],
      losses: [],
    };
  }

  return {
    async change<T>(call: JournalCall, { path }: FileChange, act: () => Promise<T>): Promise<T> {
      const before = await imageAt(path);
      try {
        return await act();
      } finally {
        // A write that failed may have changed the file all the same.
        const after = await imageAt(path);
        if (!isSame(before, after)) entries.push({ call, path, before, after, isUndone: false });
      }
    },
    async command(_call, request, run, review) {
      if (review)
        fail(
          "sandbox_unavailable",
          "This host cannot hold back a command's changes. Nothing was run.",
          "Use a mode that asks before commands.",
        );
      return run(request);
    },
    undo: (scope = {}) => carryOut("undo", scope),
    redo: (scope = {}) => carryOut("redo", scope),
  };
}

function select(entries: readonly Entry[], kind: UndoResult["kind"], scope: { call?: string; session?: string }) {
  const open = entries.filter(
    ({ call, isUndone }) =>
      isUndone === (kind === "redo") && (scope.session === undefined || call.session === scope.session),
  );
  const wanted = scope.call ?? (kind === "undo" ? open.at(-1) : open[0])?.call.id;
  const chosen = open.filter(({ call: { id } }) => id === wanted || id.startsWith(`${wanted}.`));
  if (chosen.length === 0)
    fail("no_change", `There is nothing to ${kind}${scope.call === undefined ? "" : ` of the call ${scope.call}`}.`);
  return chosen;
}

const isSame = (a: Image, b: Image): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((byte, at) => byte === b[at]));

const stateOf = async (image: Image): Promise<FileState> =>
  image === undefined ? { type: "none" } : { type: "file", hash: await hashOf(image), size: image.length };
