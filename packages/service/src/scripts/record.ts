import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { ScriptAnswer } from "@haft/core/tool";

/** One line of a record. The calls of a script follow it, up to its end. */
export type ScriptEntry =
  | { readonly t: "run"; readonly code: string; readonly now: number; readonly seed: number }
  | { readonly t: "started"; readonly n: number; readonly onlyReads: boolean }
  | {
      readonly t: "answered";
      readonly n: number;
      readonly tool: string;
      readonly input: unknown;
      readonly answer: ScriptAnswer;
    }
  | { readonly t: "end" };

/** A script of the record, with its answered calls in the order of their answers. */
export interface RecordedScript {
  readonly code: string;
  readonly now: number;
  readonly seed: number;
  readonly answered: Extract<ScriptEntry, { t: "answered" }>[];
  /** Calls that had started and have no answer: whether each only reads. */
  readonly open: Map<number, boolean>;
  isEnded: boolean;
}

/** A longer record is not written any more: the variables are then lost with the process. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The history of an interpreter, so that another process can recreate its state. */
export interface ScriptRecord {
  readonly scripts: readonly RecordedScript[];
  append(entry: ScriptEntry): void;
  clear(): void;
}

/** Opens a record. Without a file it is kept for this process only, and is empty. */
export function openScriptRecord(file: string | undefined): ScriptRecord {
  const scripts = file === undefined ? [] : readScripts(file);
  let bytes = 0;
  return {
    scripts,
    append(entry) {
      if (file === undefined) return;
      const line = `${JSON.stringify(entry)}\n`;
      bytes += line.length;
      if (bytes > MOST_BYTES) return;
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      appendFileSync(file, line, { mode: 0o600 });
    },
    clear() {
      scripts.length = 0;
      bytes = 0;
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

/** A line that was cut off by a crash ends the reading. */
function readScripts(file: string): RecordedScript[] {
  const scripts: RecordedScript[] = [];
  for (const line of linesOf(file)) {
    let entry: ScriptEntry;
    try {
      entry = JSON.parse(line) as ScriptEntry;
    } catch {
      break;
    }
    const last = scripts.at(-1);
    if (entry.t === "run") {
      const { code, now, seed } = entry;
      scripts.push({ code, now, seed, answered: [], open: new Map(), isEnded: false });
    } else if (!last) break;
    else if (entry.t === "started") last.open.set(entry.n, entry.onlyReads);
    else if (entry.t === "end") last.isEnded = true;
    else {
      last.answered.push(entry);
      last.open.delete(entry.n);
    }
  }
  return scripts;
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
