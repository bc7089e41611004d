import type { FileChange, JournalCall } from "@haft/core/executor";
import { fail, parent } from "@haft/core/tool";
import { encode } from "../host/files/encoding.ts";
import { beginKeeping } from "./before-images.ts";
import { faultOf } from "./fault.ts";
import { hashBytes, type Image, lookAt, NONE, same, statOf } from "./image/image.ts";
import type { Ledger } from "./ledger.ts";
import type { Change } from "./store/record.ts";

/** Lets `act` write one file and keeps everything needed to undo that. `together`: the name of the group that the write belongs to. */
export async function journaledWrite<T>(
  ledger: Ledger,
  call: JournalCall,
  change: FileChange,
  act: () => Promise<T>,
  together?: string,
): Promise<T> {
  const { path } = change;
  const { id, before } = await announce(ledger, call, change, together);
  try {
    return await act();
  } finally {
    // A failed write may have created folders, or may have succeeded all the same.
    const changes = before.flatMap((old): Change[] => {
      const after = lookAt(old.path);
      return same(old.before, after) ? [] : [{ ...old, after }];
    });
    if (changes.length === 0) ledger.drop(id);
    else ledger.done(id, changes.some((one) => one.path === path) ? changes : changes.filter(isStill));
  }
}

const isStill = ({ path, after }: Change): boolean => same(lookAt(path), after);

async function announce(ledger: Ledger, call: JournalCall, change: FileChange, together?: string) {
  const { path, folders = [] } = change;
  const expected = await expectedImage(change);
  try {
    const keeping = beginKeeping(ledger);
    const file = keeping.keep(path);
    keeping.seal();
    const made = missingFolders(parent(path)).map((folder): Change => ({ path: folder, before: NONE, after: NONE }));
    const gone = folders.map((folder): Change => ({ path: folder, before: lookAt(folder), after: NONE }));
    const before: Change[] = [...made, ...gone, { path, before: file, after: expected }];
    const { id: callId, tool, turn, session } = call;
    const entry = { kind: "write", session, call: callId, tool, turn, changes: before } as const;
    const id = ledger.intend({ ...entry, ...(together === undefined ? {} : { together }) });
    return { id, before };
  } catch (thrown) {
    const { code, cure } = faultOf(thrown) ?? { code: "no_space", cure: "Make room" };
    const what = change.data === undefined ? "removed" : "written";
    return fail(
      code,
      `${path} was not ${what}: what it holds now could not be kept for undo (${(thrown as Error).message}).`,
      `${cure} below ${ledger.folder}, or set HAFT_JOURNAL=off: then nothing can be undone.`,
      { path },
    );
  }
}

/** The file's expected content, to tell our own write from another's after a crash. */
async function expectedImage({ data, like }: FileChange): Promise<Image> {
  const bytes = typeof data === "string" ? await encode(data, like ?? { encoding: "utf-8", bom: false }) : data;
  // The port refuses a text that its encoding cannot represent.
  return bytes ? { type: "file", hash: hashBytes(bytes), size: bytes.length } : NONE;
}

/** The folders that a write must create, the topmost first. */
function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let current = folder; !statOf(current) && current !== "/"; current = parent(current)) missing.unshift(current);
  return missing;
}
