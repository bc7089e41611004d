import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { withShortFileLock } from "@haft/host";

/** Most bytes of such a file. A larger one is not ours. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A small file of named values in the user's state folder, shared by every session. */
export interface StateFile<T> {
  get(key: string): T | undefined;
  entries(): readonly (readonly [key: string, value: T])[];
  /** Stores a value. Values that other sessions stored meanwhile stay. */
  set(key: string, value: T): void;
  /** Computes a value from the one currently stored, possibly by another session. */
  update(key: string, edit: (now: T | undefined) => T): void;
  delete(key: string): void;
  /** Whether the file exists but cannot be read. It is then left unchanged, and values last as long as the object. */
  readonly isBroken: boolean;
}

/** Options for opening a state file. */
export interface StateFileOptions {
  /** The file is never written: changes last as long as the object. */
  readonly readOnly?: boolean;
}

/** Without a path the values last as long as the object. */
export function openStateFile<T>(path: string | undefined, { readOnly = false }: StateFileOptions = {}): StateFile<T> {
  const memory = new Map<string, T>();
  if (path === undefined)
    return {
      get: (key) => memory.get(key),
      entries: () => [...memory],
      set: (key, value) => void memory.set(key, value),
      update: (key, edit) => void memory.set(key, edit(memory.get(key))),
      delete: (key) => void memory.delete(key),
      isBroken: false,
    };
  const first = read<T>(path, readOnly);
  let { values } = first;

  function change(edit: (values: Map<string, T>) => void): void {
    if (first.isBroken || readOnly) {
      edit(values);
      return;
    }
    // Another process may be changing another value: neither change may be lost.
    withShortFileLock(`${path}.change`, () => {
      const now = read<T>(path!, readOnly);
      if (!now.isBroken) ({ values } = now);
      edit(values);
      if (now.isBroken) return;
      // A link stays a link: the new file is written to its target.
      const target = realOf(path!);
      const draft = `${target}.${process.pid}.new`;
      writeFileSync(draft, `${JSON.stringify(Object.fromEntries(values))}\n`, { mode: 0o600 });
      renameSync(draft, target);
    });
  }

  return {
    get: (key) => values.get(key),
    entries: () => [...values],
    set: (key, value) => change((now) => void now.set(key, value)),
    update: (key, edit) => change((now) => void now.set(key, edit(now.get(key)))),
    delete: (key) => change((now) => void now.delete(key)),
    isBroken: first.isBroken,
  };
}

function read<T>(path: string, readOnly: boolean): { values: Map<string, T>; isBroken: boolean } {
  let text: string | undefined;
  try {
    text = textOf(path, readOnly);
  } catch (thrown) {
    return { values: new Map(), isBroken: (thrown as NodeJS.ErrnoException).code !== "ENOENT" };
  }
  if (text === undefined) return { values: new Map(), isBroken: true };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { values: new Map(Object.entries(value as Record<string, T>)), isBroken: false };
  } catch {
    // Handled below: invalid JSON is as broken as JSON of another shape.
  }
  return { values: new Map(), isBroken: true };
}

/** The text of a regular file, which only the user can access from then on. `undefined` for a pipe or device, which must not block us. */
function textOf(path: string, readOnly: boolean): string | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const about = fstatSync(file);
    if (!about.isFile() || about.size > MOST_BYTES) return undefined;
    if (!readOnly && (about.mode & 0o077) !== 0 && about.uid === process.getuid?.()) fchmodSync(file, 0o600);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
