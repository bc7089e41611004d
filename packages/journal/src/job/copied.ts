import type { JournalCall } from "@haft/core/executor";
import { fail, type JobCopy, type JobState } from "@haft/core/tool";
import { reasonOf } from "../apply/reason.ts";
import type { Frozen } from "../frozen/freeze.ts";
import type { Merged } from "../frozen/merge.ts";
import { mergedWords } from "../frozen/words.ts";
import { listed } from "./words.ts";

export interface CopiedJobsOptions {
  /** The workspace. */
  readonly root: string;
  /** The rights with which a folder can be mounted here; `undefined`: it cannot. */
  mountsAs(): JobCopy["as"] | undefined;
  freeze(call: JournalCall): Promise<Frozen>;
  merge(frozen: Frozen, call: JournalCall): Promise<Merged>;
  drop(frozen: Frozen): Promise<void>;
  /** How to undo a call, in words. */
  undo(call: string): string;
}

const RUNNING = "It works in a copy of the workspace; its changes are merged when it has ended.";

/** Jobs in copies of the workspace. The changes of each are merged when it has ended. */
export class CopiedJobs {
  readonly #options: CopiedJobsOptions;
  readonly #copies = new Map<string, { readonly frozen: Frozen; readonly call: JournalCall }>();
  /** Jobs that ended before their copy was known here. */
  readonly #over = new Set<string>();
  #starting = 0;
  /** Ended jobs, with their changes in words. */
  readonly #merged = new Map<string, Promise<string>>();

  constructor(options: CopiedJobsOptions) {
    this.#options = options;
  }

  async start(call: JournalCall, launch: (copy: JobCopy) => Promise<JobState>): Promise<JobState> {
    const { root, mountsAs, freeze, drop } = this.#options;
    const as = mountsAs();
    if (as === undefined)
      return fail(
        "tool_unavailable",
        "A job gets no copy of the workspace here: nothing can be mounted over it.",
        "Leave in_copy out. `haft doctor` shows what this machine supports.",
      );
    const frozen = await freeze(call);
    this.#starting += 1;
    try {
      const state = await launch({ folder: frozen.root, at: root, as });
      this.#copies.set(state.id, { frozen, call });
      if (this.#over.delete(state.id)) this.ended(state.id);
      return state;
    } catch (thrown) {
      await drop(frozen);
      throw thrown;
    } finally {
      this.#starting -= 1;
      if (this.#starting === 0) this.#over.clear();
    }
  }

  /** Merges the changes of an ended job. */
  ended(id: string): void {
    const copy = this.#copies.get(id);
    if (copy === undefined) {
      if (this.#starting > 0) this.#over.add(id);
      return;
    }
    this.#copies.delete(id);
    this.#merged.set(id, this.#merge(copy.frozen, copy.call));
  }

  /** The changes of a job in words; `undefined` if it has no copy. */
  changes(id: string): Promise<string> | undefined {
    return this.#copies.has(id) ? Promise.resolve(RUNNING) : this.#merged.get(id);
  }

  /** Resolves when everything is merged. */
  async idle(): Promise<void> {
    await Promise.all(this.#merged.values());
  }

  async #merge(frozen: Frozen, call: JournalCall): Promise<string> {
    const { root, merge, undo } = this.#options;
    try {
      const merged = await merge(frozen, call);
      const paths = merged.applied.map(({ path }) => path).sort();
      const applied = paths.length === 0 ? "" : `Its changes are merged: ${listed(root, paths)}. ${undo(call.id)}`;
      return [applied, mergedWords(merged, "job")].filter(Boolean).join(" ") || "It changed no files.";
    } catch (thrown) {
      return `Its changes were not merged: ${reasonOf(thrown)} They will be held when Haft starts next.`;
    }
  }
}
