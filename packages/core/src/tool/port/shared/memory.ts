/** The port to memory: facts that later sessions know. */

/** The sessions that read an entry: those of this project, or all of the user. */
export type MemoryScope = "project" | "user";

/** One fact of the memory, and its origin. */
export interface MemoryEntry {
  readonly id: string;
  /** One line. */
  readonly text: string;
  readonly scope: MemoryScope;
  /** `hand`: a person wrote the line in the file. `stranger`: the session had read a stranger's content before. */
  readonly origin: "hand" | "agent" | "stranger";
  /** It takes no effect until a person has looked at it. */
  readonly isAside: boolean;
  /** When it was written, ISO 8601; absent for a line that a person wrote. */
  readonly at?: string;
  /** The call that wrote it. */
  readonly session?: string;
  readonly call?: string;
  readonly agent?: string;
  /** The strangers whose content the session had read: addresses, servers, files. */
  readonly sources?: readonly string[];
}

/** The call that changes the memory. */
export interface MemoryWriter {
  readonly call: string;
  readonly agent: string;
}

/** The memory of the user and of the project, as a session reaches it. Unknown ids fail with `invalid_input`. */
export interface Memory {
  /** Whether a person answers questions of this session. */
  readonly isAttended: boolean;
  /** The strangers whose content this session has read so far. */
  strangers(): readonly string[];
  /** Every entry in force, oldest first. */
  list(): Promise<readonly MemoryEntry[]>;
  get(id: string): Promise<MemoryEntry>;
  /** The entries that match some of the words, best first. */
  search(query: string, limit: number): Promise<readonly MemoryEntry[]>;
  /** Adds an entry. Without a person, one that untrusted content may have caused is set aside. */
  add(draft: Pick<MemoryEntry, "text" | "scope">, by: MemoryWriter): Promise<MemoryEntry>;
  change(id: string, text: string, by: MemoryWriter): Promise<MemoryEntry>;
  remove(id: string, by: MemoryWriter): Promise<MemoryEntry>;
}
