import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import type { Task, TaskChange, TaskDraft } from "@haft/core/tool";
import { type TaskEntry, TaskLedger } from "./ledger.ts";

/** A list of tasks that several agents share, also from several processes. */
export interface TaskStore {
  create(draft: TaskDraft): Task;
  get(id: string): Task;
  list(): readonly Task[];
  /** `by`: the agent that changes it. `undefined`: it is deleted. */
  update(id: string, change: TaskChange, by: string): Task | undefined;
}

/**
 * Tasks in a file of JSON lines that is only ever appended to. Each change is one line and says only what is different,
 * so two agents that change a task at once lose nothing. A torn or foreign line is passed over.
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
    // Behind half a line of a process that was killed, a new one begins.
    appendFileSync(file, `${isTorn ? "\n" : ""}${JSON.stringify(entry)}\n`, { mode: 0o600 });
    const refused = catchUp(entry.key);
    if (refused !== undefined) throw refused;
  }

  /** Reads what has been appended since, by whomever; gives why the entry with this key could not be. */
  function catchUp(key?: string): unknown {
    let refused: unknown;
    for (const line of file === undefined ? [] : appended(file)) {
      const entry = entryOf(line);
      if (!entry) continue;
      try {
        ledger.apply(entry);
      } catch (thrown) {
        // Everybody who reads the line refuses it alike.
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
