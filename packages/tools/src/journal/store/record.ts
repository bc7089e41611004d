import type { Image } from "../image/image.ts";

/** One path before and after. */
export interface Change {
  /** Absolute. */
  readonly path: string;
  readonly before: Image;
  readonly after: Image;
  /** A file that has other names, changed in place: they all see the change, and its undo. */
  readonly shared?: true;
  /** What of it was not carried over, and why, in words. */
  readonly lacks?: string;
}

/** Something that changed and cannot be undone. */
export interface Loss {
  readonly path: string;
  readonly why: string;
}

/**
 * Why a command's changes were kept aside: it did not end by itself, Haft itself was `killed` while it ran, others changed the same paths, they could not be
 * applied, they were not to be (`dry run`), nobody allowed them (`review`), or they are names that run by themselves.
 */
export type HeldReason = "timeout" | "cancelled" | "killed" | "conflict" | "failed" | "review" | "protected";

interface Of {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What is about to be done. Safe on disk before it is done. */
export interface Intent extends Of {
  readonly t: "intent";
  readonly kind: "write" | "command" | "undo" | "redo";
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly turn: number;
  /** The process that does it. */
  readonly writer: string;
  readonly changes: readonly Change[];
  readonly losses?: readonly Loss[];
  /** For a command: the folder of the view that it ran in. */
  readonly view?: string;
  /** Background jobs that ran meanwhile: it happened during them, by whomever. */
  readonly jobs?: readonly string[];
  /** For writes of which all are to be made or none: the name that these have in common. */
  readonly together?: string;
  /** For undo and redo: entries that were made together carry the same name. */
  readonly group?: string;
  /** For undo and redo: the entries that they take back. */
  readonly of?: readonly string[];
}

/** It was done; with what is known only now. */
export interface Done extends Of {
  readonly t: "done";
  readonly changes?: readonly Change[];
  readonly losses?: readonly Loss[];
}

/** It was not done, or what was done of it has been taken back. */
export interface Dropped extends Of {
  readonly t: "dropped";
}

/** Writes that belong together have come to an end: all are made, or none. */
export interface Whole extends Of {
  readonly t: "whole";
}

/** Changes of a command that were not applied. */
export interface Held extends Of {
  readonly t: "held";
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly turn: number;
  /** The folder of the view whose upper layer has them. */
  readonly view: string;
  readonly root: string;
  /** With which rights the view was mounted. */
  readonly variant: "root" | "user";
  readonly reason: HeldReason;
  /** Only these; none: all of them. */
  readonly paths: readonly string[];
  /** Over what is held, where somebody has seen it: another content is not applied. */
  readonly digest?: string;
}

/** Held changes were applied or thrown away. */
export interface Settled extends Of {
  readonly t: "settled";
}

/** The oldest entries were dropped; the lines behind this are linked anew. */
export interface Collected {
  readonly t: "collected";
  readonly id?: undefined;
  readonly at: string;
  /** The head of the chain that went before. */
  readonly after?: string;
}

export type Line = Collected | Intent | Done | Dropped | Whole | Held | Settled;

/** An entry as it stands when all lines are read; `together` only while what belongs to it has not come to an end. */
export interface Entry extends Omit<Intent, "t"> {
  readonly state: "open" | "done" | "dropped";
  /** The entry that took this one back, and was not taken back itself. */
  readonly undoneBy?: string;
}

/** The journal as it stands. */
export interface History {
  /** In the order in which they were done. */
  readonly entries: readonly Entry[];
  /** Held changes that nobody has settled. */
  readonly held: readonly Held[];
}

/** Reads lines in order. Lines that belong to nothing, and torn ones, are left out. */
export function historyOf(lines: Iterable<Line>): History {
  const entries = new Map<string, Entry>();
  const held = new Map<string, Held>();
  const whole = new Set<string>();
  const update = (id: string, part: Partial<Entry>) => {
    const entry = entries.get(id);
    if (entry) entries.set(id, { ...entry, ...part });
  };
  for (const line of lines) {
    if (line.t === "intent") {
      const { t: _, ...rest } = line;
      entries.set(line.id, { ...rest, state: "open" });
    } else if (line.t === "done") {
      const { changes, losses } = line;
      update(line.id, { state: "done", ...(changes ? { changes } : {}), ...(losses ? { losses } : {}) });
      const entry = entries.get(line.id);
      for (const id of entry?.of ?? []) turn(entries, id, line.id);
    } else if (line.t === "dropped") update(line.id, { state: "dropped" });
    else if (line.t === "collected") continue;
    else if (line.t === "whole") whole.add(line.id);
    else if (line.t === "held") held.set(line.id, line);
    else held.delete(line.id);
  }
  const settled = ({ together, ...entry }: Entry): Entry =>
    together === undefined || whole.has(together) ? entry : { ...entry, together };
  return { entries: Array.from(entries.values(), settled), held: [...held.values()] };
}

/** An undo is taken back by a redo: then what it had undone stands again. */
function turn(entries: Map<string, Entry>, id: string, by: string): void {
  const entry = entries.get(id);
  if (!entry) return;
  entries.set(id, { ...entry, undoneBy: by });
  for (const inner of entry.of ?? []) {
    const target = entries.get(inner);
    if (target?.undoneBy !== id) continue;
    const { undoneBy: _, ...stands } = target;
    entries.set(inner, stands);
  }
}
