import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** Most prompts that are remembered, and most characters of one. */
const MOST = 1000;
const MOST_CHARS = 10_000;

/** The prompts that a person has typed, oldest first, also in earlier sessions. */
export interface History {
  readonly entries: readonly string[];
  add(text: string): void;
}

/** The history in a file; without one, it lasts as long as the process. A file that cannot be used is ignored. */
export function openHistory(file?: string): History {
  let entries = file === undefined ? [] : entriesIn(file);
  return {
    get entries() {
      return entries;
    },
    add(text) {
      if (text.trim() === "" || text.length > MOST_CHARS || entries.at(-1) === text) return;
      entries = [...entries, text].slice(-MOST);
      if (file === undefined) return;
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        appendFileSync(file, `${JSON.stringify(text)}\n`, { mode: 0o600 });
      } catch {
        // A full disk must not stop a conversation.
      }
    },
  };
}

function entriesIn(file: string): string[] {
  try {
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .slice(-MOST - 1);
    return lines.flatMap((line) => {
      try {
        const text: unknown = JSON.parse(line);
        return typeof text === "string" ? [text] : [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** The latest entry before a position that contains a text; -1 if there is none. */
export const searchBack = ({ entries }: History, text: string, before: number): number =>
  text === ""
    ? -1
    : entries.slice(0, before).findLastIndex((entry) => entry.toLowerCase().includes(text.toLowerCase()));
