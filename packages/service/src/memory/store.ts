import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, type MemoryEntry, type MemoryScope } from "@haft/core/tool";
import { withShortFileLock } from "@haft/host";
import { addToHistory, inForce, type MemoryChange, originOf, readHistory, textOf } from "./history.ts";
import { linesOf, oneLine, type PageLine, withLine, withText } from "./page.ts";

/** A writer of an entry: a call of a session, or nobody for a person at the command line. */
export interface Writer {
  readonly session?: string;
  readonly call?: string;
  readonly agent?: string;
  /** Strangers whose content the session had read. */
  readonly sources?: readonly string[];
  /** The entry waits until a person has looked at it. */
  readonly isAside?: boolean;
}

/** One memory: a Markdown page that people may edit, and the history of the changes that calls made. */
export interface MemoryPage {
  readonly scope: MemoryScope;
  /** The page, for people. */
  readonly file: string;
  /** Entries in effect and entries set aside. Rereads the page, so edits by hand count. */
  entries(): readonly MemoryEntry[];
  history(): readonly MemoryChange[];
  add(text: string, by: Writer): MemoryEntry;
  change(id: string, text: string, by: Writer): MemoryEntry;
  remove(id: string, by: Writer): MemoryEntry;
  /** Lets an entry take effect that was set aside: a person has reviewed it. */
  keep(id: string): MemoryEntry;
  /** The change that `undo` would revert. */
  latest(id?: string): MemoryChange | undefined;
  /** Takes back the last change, or the last one of an entry. Fails with `conflict` if the line was edited since. */
  undo(id?: string): MemoryChange | undefined;
}

/** Longest entry in characters. A memory holds facts, not documents. */
const MOST_CHARS = 2_000;

/** Opens the memory in a folder. Nothing is written before the first change. */
export const openMemoryPage = (scope: MemoryScope, folder: string): MemoryPage => new FilePage(scope, folder);

class FilePage implements MemoryPage {
  readonly scope: MemoryScope;
  readonly #folder: string;
  readonly file: string;
  readonly #log: string;

  constructor(scope: MemoryScope, folder: string) {
    this.scope = scope;
    this.#folder = folder;
    this.file = join(folder, "MEMORY.md");
    this.#log = join(folder, "history.jsonl");
  }

  history(): readonly MemoryChange[] {
    return readHistory(this.#log);
  }

  add(text: string, by: Writer): MemoryEntry {
    return this.#locked(() => {
      const id = randomUUID().slice(0, 8);
      const line = fact(text);
      const sources = by.sources?.length ? { sources: by.sources } : {};
      this.#note({ t: "add", id, text: line, ...sources, ...(by.isAside ? { isAside: true } : {}) }, by);
      if (!by.isAside) this.#write(withLine(this.#page(), id, line));
      return this.#found(id);
    });
  }

  change(id: string, text: string, by: Writer): MemoryEntry {
    return this.#locked(() => {
      const { text: before } = this.#found(id);
      const line = this.#lineFor(id);
      if (!line) return waiting(id);
      const sources = by.sources?.length ? { sources: by.sources } : {};
      this.#note({ t: "change", id, text: fact(text), before, ...sources }, by);
      this.#write(withText(this.#page(), line, id, fact(text)));
      return this.#found(id);
    });
  }

  remove(id: string, by: Writer): MemoryEntry {
    return this.#locked(() => {
      const entry = this.#found(id);
      const line = this.#lineFor(id);
      this.#note({ t: "remove", id, before: entry.text, ...(entry.isAside ? { isAside: true } : {}) }, by);
      if (line) this.#write(withText(this.#page(), line, id, undefined));
      return entry;
    });
  }

  keep(id: string): MemoryEntry {
    return this.#locked(() => {
      const { isAside, text } = this.#found(id);
      if (!isAside) fail("no_change", `The entry ${id} is already in effect.`, "There is nothing to keep.");
      this.#note({ t: "keep", id, text });
      this.#write(withLine(this.#page(), id, text));
      return this.#found(id);
    });
  }

  undo(id?: string): MemoryChange | undefined {
    return this.#locked(() => {
      const last = this.latest(id);
      if (!last) return undefined;
      this.#write(takenBack(this.#page(), last));
      this.#note({ t: "undo", id: last.id, of: last.key });
      return last;
    });
  }

  entries(): readonly MemoryEntry[] {
    const changes = inForce(readHistory(this.#log));
    const shown = linesOf(this.#page()).map((line) => entryOf(line, this.scope, changes));
    const aside = [...new Set(changes.map(({ id }) => id))]
      .map((id) => ({ id, text: textOf(id, changes) ?? "", scope: this.scope, ...originOf(id, changes) }))
      .filter(({ id, isAside }) => isAside && !changes.some((change) => change.t === "remove" && change.id === id));
    return [...shown, ...aside];
  }

  latest(id?: string): MemoryChange | undefined {
    return inForce(readHistory(this.#log)).findLast((change) => id === undefined || change.id === id);
  }

  #locked<T>(work: () => T): T {
    return withShortFileLock(join(this.#folder, "lock"), work);
  }

  #page(): string {
    return textIn(this.file);
  }

  #write(text: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${this.file}.new`, text, { mode: 0o600 });
    renameSync(`${this.file}.new`, this.file);
  }

  #note(change: Fields, by: Writer = {}): MemoryChange {
    const { session, call, agent } = by;
    const whole = { key: randomUUID(), at: new Date().toISOString(), ...change, session, call, agent } as MemoryChange;
    addToHistory(this.#log, whole);
    return whole;
  }

  #found(id: string): MemoryEntry {
    return this.entries().find((entry) => entry.id === id) ?? unknownEntry(id, this.entries());
  }

  #lineFor(id: string): PageLine | undefined {
    return linesOf(this.#page()).find((line) => idOf(line) === id);
  }
}

type Fields = MemoryChange extends infer C ? (C extends MemoryChange ? Omit<C, "key" | "at"> : never) : never;

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw thrown;
  }
}

/** The id of a line. A line that a person wrote has none: its words name it. */
const idOf = ({ id, text }: PageLine): string => id ?? createHash("sha256").update(text).digest("hex").slice(0, 8);

function entryOf(line: PageLine, scope: MemoryScope, changes: readonly MemoryChange[]): MemoryEntry {
  const id = idOf(line);
  const isEdited = line.id === undefined || textOf(id, changes) !== line.text;
  return {
    id,
    text: line.text,
    scope,
    ...(isEdited ? { origin: "hand" as const } : originOf(id, changes)),
    // A person has put the line there, or moved it there.
    isAside: false,
  };
}

function fact(text: string): string {
  const line = oneLine(text);
  if (line === "") fail("invalid_input", "The entry is empty.", "Say the fact in one sentence.");
  if (line.length > MOST_CHARS)
    fail("invalid_input", `An entry may have ${MOST_CHARS} characters; this one has ${line.length}.`, "Shorten it.");
  return line;
}

/** The page before a change. */
function takenBack(page: string, change: MemoryChange): string {
  const line = linesOf(page).find(({ id }) => id === change.id);
  const now = "text" in change ? change.text : undefined;
  if (line && now !== undefined && line.text !== now)
    fail(
      "conflict",
      `The line "${line.text}" was edited by hand since. Nothing was undone.`,
      "Edit the page, or remove the line there.",
    );
  if (change.t === "remove") return line || change.isAside ? page : withLine(page, change.id, change.before);
  if (!line) return page;
  return withText(page, line, change.id, change.t === "change" ? change.before : undefined);
}

const unknownEntry = (id: string, all: readonly MemoryEntry[]): never =>
  fail(
    "invalid_input",
    `There is no memory entry "${id}".`,
    all.length === 0
      ? "The memory is empty."
      : `Entries: ${all
          .slice(-20)
          .map((entry) => entry.id)
          .join(", ")}.`,
  );

const waiting = (id: string): never =>
  fail("denied_by_user", `The entry ${id} is set aside until a person has looked at it.`, `haft memory show ${id}`);
