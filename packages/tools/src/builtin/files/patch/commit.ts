import { type Files, HaftError, toToolError } from "@haft/core/tool";
import { needRemover } from "../../support/removal.ts";
import type { FileChange } from "./plan.ts";

/** A change that was made. */
export interface Done {
  readonly change: FileChange;
  /** SHA-256 of the new content; absent when the file was removed. */
  readonly hash?: string;
  /** Reverts the change. */
  readonly undo: () => Promise<void>;
}

/**
 * Makes all changes or none. It replaces files first, then adds new ones, then removes old ones, each only if the file
 * is still the one that was planned for. If one change fails, the previous ones are reverted.
 */
export async function commitPatch(changes: readonly FileChange[], files: Files): Promise<readonly Done[]> {
  if (changes.some(({ after }) => !after)) needRemover(files);
  const done: Done[] = [];
  for (const change of changes.toSorted((a, b) => rank(a) - rank(b))) {
    try {
      done.push({ change, ...(await commit(change, files)) });
    } catch (thrown) {
      throw await takenBack(done, thrown);
    }
  }
  return done;
}

const rank = ({ before, after }: FileChange): number => (before && after ? 0 : after ? 1 : 2);

async function commit({ path, before, after }: FileChange, files: Files): Promise<Omit<Done, "change">> {
  if (!after) {
    await needRemover(files)(path, { expect: before?.hash ?? "absent" });
    const kept = { expect: "absent", mode: before?.mode };
    return { undo: async () => void (before && (await files.write(path, before.bytes, kept))) };
  }
  const mode = after.mode === undefined ? {} : { mode: after.mode };
  const options = { expect: before?.hash ?? "absent", ...(after.like ? { like: after.like } : {}), ...mode };
  const { hash, folders = [] } = await files.write(path, after.data, options);
  return {
    hash,
    async undo() {
      if (before) await files.write(path, before.bytes, { expect: hash });
      else await needRemover(files)(path, { expect: hash, folders });
    },
  };
}

async function takenBack(done: readonly Done[], thrown: unknown): Promise<HaftError> {
  const stuck: string[] = [];
  for (const { change, undo } of done.toReversed()) await undo().catch(() => stuck.push(change.path));
  const error = toToolError(thrown);
  if (stuck.length === 0) return new HaftError({ ...error, message: `${error.message} The patch was reverted.` });
  return new HaftError(
    {
      code: "outcome_unknown",
      message: `${error.message} The patch was reverted, except for: ${stuck.join(", ")}.`,
      hint: "Read these files before going on: they hold what the patch wrote.",
      details: { ...error.details, stuck },
    },
    { cause: thrown },
  );
}
