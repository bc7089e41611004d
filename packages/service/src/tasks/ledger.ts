import { fail, type Task, type TaskChange, type TaskDraft } from "@haft/core/tool";

/** A recorded change of the list. `key` tells simultaneous entries apart. */
export type TaskEntry =
  | { readonly t: "create"; readonly key: string; readonly task: TaskDraft }
  | {
      readonly t: "update";
      readonly key: string;
      readonly id: string;
      readonly by: string;
      readonly change: TaskChange;
    };

/** The list that results from its entries in their order. Everybody who reads the same entries gets the same list. */
export class TaskLedger {
  #made = 0;
  readonly #tasks = new Map<string, Task>();
  readonly #byKey = new Map<string, string>();

  /** @throws HaftError for an impossible entry; the list is unchanged then. */
  apply(entry: TaskEntry): void {
    if (entry.t === "create") {
      const id = String(++this.#made);
      this.#byKey.set(entry.key, id);
      this.#tasks.set(id, { id, ...drafted(entry.task), status: "pending", blocks: [], blockedBy: [] });
      return;
    }
    const changed = this.#changed(entry);
    if (changed) for (const task of changed) this.#tasks.set(task.id, task);
    else this.#remove(entry.id);
  }

  get(id: string): Task {
    const task = this.#tasks.get(id.replace(/^#/, ""));
    if (task) return task;
    const known = [...this.#tasks.keys()].join(", ");
    return fail(
      "invalid_input",
      `There is no task "${id}".`,
      known === "" ? "Make one with TaskCreate." : `Tasks: ${known}.`,
    );
  }

  /** The task that an entry created. */
  madeBy(key: string): Task {
    return this.get(this.#byKey.get(key) ?? key);
  }

  list(): readonly Task[] {
    return [...this.#tasks.values()];
  }

  /** The tasks that a change modifies; `undefined` deletes the task. */
  #changed({ id, by, change }: Extract<TaskEntry, { t: "update" }>): readonly Task[] | undefined {
    const before = this.get(id);
    const { status, owner, addBlocks = [], addBlockedBy = [], metadata, ...words } = change;
    if (
      before.owner !== undefined &&
      owner !== undefined &&
      owner !== "" &&
      owner !== before.owner &&
      by !== before.owner
    )
      fail(
        "conflict",
        `Task ${before.id} belongs to ${before.owner}.`,
        'Take another one, or ask its owner to release it (owner: "").',
      );
    if (status === "deleted") return undefined;
    const edges = [
      ...addBlocks.map((to) => [before.id, this.get(to).id]),
      ...addBlockedBy.map((from) => [this.get(from).id, before.id]),
    ];
    const touched = new Map<string, Task>([[before.id, before]]);
    const now = (task: string): Task => touched.get(task) ?? this.get(task);
    for (const [from, to] of edges as [string, string][]) {
      if (this.#reaches(to, from, now))
        fail(
          "validation_failed",
          `Task ${from} cannot block task ${to}: ${from === to ? "no task waits for itself" : `${from} already waits for ${to}`}.`,
          "Leave that dependency out.",
        );
      touched.set(from, { ...now(from), blocks: united(now(from).blocks, to) });
      touched.set(to, { ...now(to), blockedBy: united(now(to).blockedBy, from) });
    }
    const next = now(before.id);
    const open = next.blockedBy.filter((other) => this.get(other).status !== "completed");
    if (status === "in_progress" && open.length > 0)
      fail("validation_failed", `Task ${before.id} waits for ${open.join(", ")}.`, "Complete those first.");
    const { owner: _, ...unowned } = next;
    touched.set(before.id, {
      ...(owner === "" ? unowned : next),
      ...drafted(words),
      ...(status === undefined ? {} : { status }),
      ...(owner === undefined || owner === "" ? {} : { owner }),
      ...(metadata === undefined ? {} : { metadata: merged(before.metadata, metadata) }),
    });
    return [...touched.values()];
  }

  /** Whether `from` blocks `to`, directly or through other tasks. */
  #reaches(from: string, to: string, now: (id: string) => Task): boolean {
    const seen = new Set<string>();
    const left = [from];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next === to) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      left.push(...now(next).blocks);
    }
    return false;
  }

  #remove(id: string): void {
    const { id: gone } = this.get(id);
    this.#tasks.delete(gone);
    const without = (ids: readonly string[]) => ids.filter((other) => other !== gone);
    for (const task of this.#tasks.values())
      if (task.blocks.includes(gone) || task.blockedBy.includes(gone))
        this.#tasks.set(task.id, { ...task, blocks: without(task.blocks), blockedBy: without(task.blockedBy) });
  }
}

const united = (ids: readonly string[], id: string): readonly string[] => (ids.includes(id) ? ids : [...ids, id]);

/** A `null` value removes its key. */
const merged = (before: Task["metadata"] = {}, more: NonNullable<Task["metadata"]>): NonNullable<Task["metadata"]> =>
  Object.fromEntries(Object.entries({ ...before, ...more }).filter(([, value]) => value !== null));

/** Drops `undefined` fields, so that an absent field changes nothing. */
const drafted = <T extends object>(words: T): T =>
  Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as T;
