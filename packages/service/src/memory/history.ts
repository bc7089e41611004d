import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { MemoryEntry } from "@haft/core/tool";

/** A change of the memory, as its history keeps it. `key` tells changes apart. */
export type MemoryChange = {
  readonly key: string;
  readonly at: string;
  readonly id: string;
  readonly session?: string;
  readonly call?: string;
  readonly agent?: string;
} & (
  | { readonly t: "add"; readonly text: string; readonly sources?: readonly string[]; readonly isAside?: true }
  | { readonly t: "change"; readonly text: string; readonly before: string; readonly sources?: readonly string[] }
  | { readonly t: "remove"; readonly before: string; readonly isAside?: true }
  /** A person has reviewed an entry that was set aside, and lets it take effect. */
  | { readonly t: "keep"; readonly text: string }
  | { readonly t: "undo"; readonly of: string }
);

/** The changes of one page, oldest first. A torn line of a killed process is skipped. */
export function readHistory(file: string): readonly MemoryChange[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const change = JSON.parse(line) as MemoryChange;
      return typeof change.key === "string" && typeof change.id === "string" ? [change] : [];
    } catch {
      return [];
    }
  });
}

/** Starts with a line break: the line before may be torn. */
export function addToHistory(file: string, change: MemoryChange): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, `\n${JSON.stringify(change)}`, { mode: 0o600 });
}

/** The changes that have not been undone. */
export function inForce(history: readonly MemoryChange[]): readonly MemoryChange[] {
  const undone = new Set(history.flatMap((change) => (change.t === "undo" ? [change.of] : [])));
  return history.filter(({ t, key }) => t !== "undo" && !undone.has(key));
}

/** The origin of an entry, by the changes that made it. */
export function originOf(id: string, changes: readonly MemoryChange[]): Omit<MemoryEntry, "id" | "text" | "scope"> {
  const own = changes.filter((change) => change.id === id && (change.t === "add" || change.t === "change"));
  const last = own.at(-1);
  if (!last) return { origin: "hand", isAside: false };
  const sources = [...new Set(own.flatMap((change) => ("sources" in change ? (change.sources ?? []) : [])))];
  const isKept = changes.some((change) => change.id === id && change.t === "keep");
  const { at, session, call, agent } = last;
  return {
    origin: sources.length > 0 ? "stranger" : "agent",
    isAside: own.some((change) => change.t === "add" && change.isAside) && !isKept,
    at,
    ...(session === undefined ? {} : { session }),
    ...(call === undefined ? {} : { call }),
    ...(agent === undefined ? {} : { agent }),
    ...(sources.length > 0 ? { sources } : {}),
  };
}

/** The latest text of an entry. */
export const textOf = (id: string, changes: readonly MemoryChange[]): string | undefined => {
  const last = changes.findLast((change) => change.id === id && "text" in change);
  return last && "text" in last ? last.text : undefined;
};
