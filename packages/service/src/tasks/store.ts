import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import type { Task, TaskChange, TaskDraft } from "@haft/core/tool";
import { type TaskEntry, TaskLedger } from "./ledger.ts";

/** A list of tasks that several agents share, also across processes. */
export interface TaskStore {
  create(draft: TaskDraft): Task;
  get(id: string): Task;
  list(): readonly Task[];
  /** `by`: the agent that changes it. `undefined`: it is deleted. */
  update(id: string, change: TaskChange, by: string): Task | undefined;
}

/**
 * Tasks in an append-only file of JSON lines. Each change is one line with only the changed fields, so two agents
 * that change a task at once lose nothing. Torn or foreign lines are skipped.
 */
export function openTasks(file?: string): TaskStore {
  const ledger = new TaskLedger();
  let read = 0;
  let isTorn = false;
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true });

  function enter(entry: TaskEntry): void {
    if (file === undefined) {
      ledger.apply(entry);
      return;
    }
    // Starts a new line after a torn line of a killed process.
    appendFileSync(file, `${isTorn ? "\n" : ""}${JSON.stringify(entry)}\n`, { mode: 0o600 });
    const refused = catchUp(entry.key);
    if (refused !== undefined) throw refused;
  }

  /** Reads new lines of any process. Returns the error of the entry with this key, if it was refused. */
  function catchUp(key?: string): unknown {
    let refused: unknown;
    for (const line of file === undefined ? [] : appended(file)) {
      const entry = entryOf(line);
      if (!entry) continue;
      try {
        ledger.apply(entry);
      } catch (thrown) {
        // Every reader refuses this line alike.
        if (entry.key === key) refused = thrown;
      }
    }
    return refused;
  }

  function appended(path: string): readonly string[] {
    let handle: number;
    try {
      handle = openSync(path, "r");
    } catch {
      return [];
    }
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(handle).size - read));
      const filled = readSync(handle, bytes, 0, bytes.length, read);
      const end = bytes.subarray(0, filled).lastIndexOf(10) + 1;
      read += end;
      isTorn = end < filled;
      return bytes.subarray(0, end).toString("utf8").split("\n").filter(Boolean);
    } finally {
      closeSync(handle);
    }
  }

  return {
    create(task) {
      catchUp();
      const key = randomUUID();
      enter({ t: "create", key, task });
      return ledger.madeBy(key);
    },
    get(id) {
      catchUp();
      return ledger.get(id);
    },
    list() {
      catchUp();
      return ledger.list();
    },
    update(id, change, by) {
      catchUp();
      const { id: known } = ledger.get(id);
      enter({ t: "update", key: randomUUID(), id: known, by, change });
      return change.status === "deleted" ? undefined : ledger.get(known);
    },
  };
}

function entryOf(line: string): TaskEntry | undefined {
  try {
    const entry = JSON.parse(line) as TaskEntry;
    return entry.t === "create" || entry.t === "update" ? entry : undefined;
  } catch {
    return undefined;
  }
}
