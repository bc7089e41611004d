import { randomBytes } from "node:crypto";
import type { Image } from "../image/image.ts";

/** One path before and after. */
export interface Change {
  /** Absolute. */
  readonly path: string;
  readonly before: Image;
  readonly after: Image;
  /** A file with hard links, changed in place: all its names see the change and its undo. */
  readonly shared?: true;
  /** A file that gets a file of its own in its place, because its other names belong to somebody else. */
  readonly alone?: true;
  /** The part that was not carried over and the reason, in words. */
  readonly lacks?: string;
}

/** A change that cannot be undone. */
export interface Loss {
  readonly path: string;
  readonly why: string;
}

/**
 * Why a command's changes were held: it did not end by itself, Haft was `killed` while it ran, others changed
 * the same paths, they could not be applied, it was a dry run or nobody allowed them (`review`), or their names run
 * by themselves.
 */
export type HeldReason = "timeout" | "cancelled" | "killed" | "conflict" | "failed" | "review" | "protected";

/** Makes an id of an entry, a held view or a folder; later ones sort behind. */
export const newId = (): string => `${Date.now().toString(36)}-${randomBytes(5).toString("hex")}`;

interface Of {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Announces an action. Safe on disk before the action starts. */
export interface Intent extends Of {
  readonly t: "intent";
  readonly kind: "write" | "command" | "undo" | "redo";
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly turn: number;
  /** The process that acts. */
  readonly writer: string;
  readonly changes: readonly Change[];
  readonly losses?: readonly Loss[];
  /** For a command: the folder of its view. */
  readonly view?: string;
  /** Background jobs that ran meanwhile. Anybody may have made the changes during that time. */
  readonly jobs?: readonly string[];
  /** For writes that all succeed or are all undone: the name of their group. */
  readonly together?: string;
  /** For undo and redo: entries of one action share this name. */
  readonly group?: string;
  /** For undo and redo: the entries that they reverse. */
  readonly of?: readonly string[];
}

/** The action is done; with facts that are known only now. */
export interface Done extends Of {
  readonly t: "done";
  readonly changes?: readonly Change[];
  readonly losses?: readonly Loss[];
}

/** The action was not done, or its done part has been undone. */
export interface Dropped extends Of {
  readonly t: "dropped";
}

/** The end of a group of writes: all are done, or none. */
export interface Whole extends Of {
  readonly t: "whole";
}

/** A command's changes that were not applied. */
export interface Held extends Of {
  readonly t: "held";
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly turn: number;
  /** The folder of the view with the changes in its upper layer. */
  readonly view: string;
  readonly root: string;
  /** The privileges with which the view was mounted. */
  readonly variant: "root" | "user" | "root-clone" | "user-clone";
  readonly reason: HeldReason;
  /** Only these paths; empty means all. */
  readonly paths: readonly string[];
  /** A digest of the held changes, if somebody has seen them. Other content is not applied. */
  readonly digest?: string;
}

/** Held changes were applied or discarded. */
export interface Settled extends Of {
  readonly t: "settled";
}

/** The oldest entries were dropped; the lines after this are linked again. */
export interface Collected {
  readonly t: "collected";
  readonly id?: undefined;
  readonly at: string;
  /** The head of the previous chain. */
  readonly after?: string;
}

export type Line = Collected | Intent | Done | Dropped | Whole | Held | Settled;

/** An entry after all lines were read. `together` is set only until its group has ended. */
export interface Entry extends Omit<Intent, "t"> {
  readonly state: "open" | "done" | "dropped";
  /** The entry that undid this one and was not undone itself. */
  readonly undoneBy?: string;
}

/** Whether a command ran in the workspace itself. Anybody may have made the changes during that time. */
export const isDirect = ({ kind, view }: Pick<Entry, "kind" | "view">): boolean =>
  kind === "command" && view === undefined;

/** The journal after all lines were read. */
export interface History {
  /** In the order of the actions. */
  readonly entries: readonly Entry[];
  /** Held changes that are neither applied nor discarded. */
  readonly held: readonly Held[];
}

/** Reads lines in order. Skips torn lines and lines without their entry. */
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

/** A redo reverses an undo: the entries of the undo are in force again. */
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
