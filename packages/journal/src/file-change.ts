import type { FileChange, JournalCall } from "@haft/core/executor";
import { fail, parent } from "@haft/core/tool";
import { encode } from "@haft/host/files";
import { beginKeeping } from "./before-images.ts";
import { faultOf } from "./fault.ts";
import { linkAgain, linksOf } from "./image/hard-links.ts";
import { hashBytes, type Image, lookAt, NONE, same, statOf } from "./image/image.ts";
import type { Ledger } from "./ledger.ts";
import { attributesAt } from "./store/details.ts";
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
  const names = await linksOf(ledger, path);
  const { id, before } = await announce(ledger, call, { ...change, names: names.inside }, together);
  const old = before.find((one) => one.path === path)?.before ?? NONE;
  const forget = ledger.originals?.link(path, path, old);
  try {
    const done = await act();
    const linked = linkAgain(path, names);
    return isWritten(done) && done.otherNames ? { ...done, otherNames: names.count - linked } : done;
  } finally {
    if (names.inode !== undefined && statOf(path)?.ino === names.inode) forget?.();
    // A failed write may have created folders, or may have succeeded all the same.
    const changes = before.flatMap((old): Change[] => {
      const after = lookAt(old.path);
      return same(old.before, after) ? [] : [{ ...old, after }];
    });
    if (changes.length === 0) ledger.drop(id);
    else ledger.done(id, changes.some((one) => one.path === path) ? changes : changes.filter(isStill));
  }
}

/** The answer of the Files port to a write. */
const isWritten = (done: unknown): done is { readonly otherNames?: number } =>
  typeof done === "object" && done !== null && "otherNames" in done;

const isStill = ({ path, after }: Change): boolean => same(lookAt(path), after);

interface Announced extends FileChange {
  /** Other names of the same file, which the write takes along. */
  readonly names: readonly string[];
}

async function announce(ledger: Ledger, call: JournalCall, change: Announced, together?: string) {
  const { path, folders = [], names } = change;
  const expected = await expectedImage(change);
  try {
    const keeping = beginKeeping(ledger);
    const file = keeping.keep(path);
    keeping.seal();
    const made = missingFolders(parent(path)).map((folder): Change => ({ path: folder, before: NONE, after: NONE }));
    const gone = folders.map((folder): Change => ({ path: folder, before: lookAt(folder), after: NONE }));
    const own = { path, before: attributed(path, file, change.data === undefined), after: expected };
    const linkOf = { linkOf: path };
    const others = names.map(
      (name): Change => ({
        path: name,
        before: { ...file, ...linkOf } as Image,
        after: { ...expected, ...linkOf } as Image,
      }),
    );
    const before: Change[] = [...made, ...gone, own, ...(expected.type === "file" ? others : [])];
    const { id: callId, tool, turn, session } = call;
    const entry = { kind: "write", session, call: callId, tool, turn, changes: before } as const;
    const id = ledger.intend({ ...entry, ...(together === undefined ? {} : { together }) });
    return { id, before };
  } catch (thrown) {
    const { code, cure } = faultOf(thrown) ?? { code: "no_space", cure: "Make room" };
    const what = change.data === undefined ? "removed" : "written";
    return fail(
      code,
      `${path} was not ${what}: its current content could not be saved for undo (${(thrown as Error).message}).`,
      `${cure} below ${ledger.folder}, or set HAFT_JOURNAL=off (disables undo).`,
      { path },
    );
  }
}

/** A write carries the attributes over to the new file. A removal loses them. */
function attributed(path: string, image: Image, isRemoval: boolean): Image {
  const attributes = isRemoval && image.type === "file" ? attributesAt([path]).get(path) : undefined;
  return attributes && image.type === "file" ? { ...image, attributes } : image;
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
