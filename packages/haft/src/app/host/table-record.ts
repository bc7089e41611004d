import { isDeepStrictEqual } from "node:util";
import type { RecordEntry, RecordStore } from "@haft/core/host";
import type { Redact } from "@haft/core/policy";
import { type Clock, HaftError, type ToolError, toToolError } from "@haft/core/tool";
import { createStamp, type NewEntry } from "@haft/service";
import { fromStore } from "./within-time.ts";

/** A session's record in a store of the host's own. */
export interface TableRecord {
  /** The entries by earlier processes of the session. */
  readonly earlier: readonly RecordEntry[];
  append(entry: NewEntry): void;
  /** Resolves when the entry is stored. Rejects if it is not; it is then kept and stored later. */
  enter(entry: NewEntry): Promise<void>;
  /** Stores what is still waiting. The error, if that fails: then no call may run. */
  ready(): ToolError | undefined | Promise<ToolError | undefined>;
  close(): Promise<void>;
}

interface RecordOptions {
  readonly store: RecordStore;
  readonly session: string;
  readonly clock: Clock;
  readonly redact: Redact;
}

/**
 * Opens a session's record. Entries that the store did not take stay in memory, in order, until it does.
 *
 * @throws HaftError `execution_failed` if the store cannot be read.
 */
export async function tableRecord({ store, session, clock, redact }: RecordOptions): Promise<TableRecord> {
  const read = () => fromStore("records", clock, () => store.read(session));
  const stamp = createStamp();
  const earlier = await read();
  let stored = earlier.length;
  const waiting: RecordEntry[] = [];
  let isUnsure = false;
  let writing: Promise<void> | undefined;
  let failed: ToolError | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const part = [...waiting];
      try {
        if (!(await fromStore("records", clock, () => store.append(session, stored, part)))) await checkWritten(part);
      } catch (thrown) {
        // A write that failed or took too long may have happened all the same.
        isUnsure = true;
        failed = toToolError(thrown);
        throw thrown;
      }
      isUnsure = false;
      failed = undefined;
      stored += part.length;
      waiting.splice(0, part.length);
    }
  }

  /** After a refusal: whether the entries were stored by an earlier attempt. */
  async function checkWritten(part: RecordEntry[]): Promise<void> {
    const found = isUnsure ? (await read()).slice(stored) : [];
    const done = found.length;
    if (done === 0 || done > part.length || !isDeepStrictEqual(found, part.slice(0, done))) throw takenOver(session);
    part.length = done;
  }

  function write(): Promise<void> {
    writing ??= Promise.resolve()
      .then(writeAll)
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  function add({ t, at = stamp(clock.now()), ...rest }: NewEntry): void {
    waiting.push(withoutSecrets({ t, at, ...rest }, redact));
  }

  return {
    earlier,
    append(entry) {
      add(entry);
      write().catch(() => {});
    },
    async enter(entry) {
      add(entry);
      await write();
    },
    ready() {
      if (!failed) return undefined;
      return write().then(
        () => undefined,
        (thrown) => toToolError(thrown),
      );
    },
    async close() {
      await write();
    },
  };
}

/** The entry as plain data, with the secrets of its texts removed. */
function withoutSecrets(entry: RecordEntry, redact: Redact): RecordEntry {
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), clean(inner)]));
  };
  return clean(JSON.parse(JSON.stringify(entry))) as RecordEntry;
}

const takenOver = (session: string): HaftError =>
  new HaftError({
    code: "conflict",
    message: `Another process has opened session ${session} and is writing to its record.`,
    hint: "This process makes no more calls. Close it, or give it its own session.",
  });
