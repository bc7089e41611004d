import type { JournalCall } from "@haft/core/executor";
import { onlyReads } from "@haft/core/policy";
import type { Bound, JobState } from "@haft/core/tool";
import type { Ledger } from "../ledger.ts";
import type { CopiedJobs, CopiedJobsOptions } from "./copied.ts";
import type { JobWatch } from "./watch.ts";

export interface JournalJobsOptions extends Omit<CopiedJobsOptions, "root" | "undo"> {
  readonly ledger: Ledger;
  /** Resolves when unfinished work of killed processes is finished. */
  recovered(): Promise<void>;
}

/** The background jobs of a journal, in the workspace or in copies. Loads what they need when the first one starts. */
export class JournalJobs implements JobWatch {
  readonly #options: JournalJobsOptions;
  #watch: JobWatch | undefined;
  #copied: CopiedJobs | undefined;

  constructor(options: JournalJobsOptions) {
    this.#options = options;
  }

  readonly start = async (
    call: JournalCall,
    bound: Bound,
    launch: Parameters<JobWatch["start"]>[2],
    { inCopy = false } = {},
  ): Promise<JobState> => {
    const { ledger, recovered } = this.#options;
    await recovered();
    if (inCopy) {
      const { CopiedJobs } = await import("./copied.ts");
      const undo = (id: string) => ledger.ways.undo(id);
      this.#copied ??= new CopiedJobs({ ...this.#options, root: ledger.root, undo });
      return this.#copied.start(call, launch);
    }
    if (!onlyReads(bound)) await ledger.beforeDirect?.();
    const { watchJobs } = await import("./watch.ts");
    this.#watch ??= watchJobs(ledger);
    return this.#watch.start(call, bound, launch);
  };

  readonly changesDuring = async (id: string): Promise<string | undefined> =>
    this.#copied?.changes(id) ?? this.#watch?.changesDuring(id);

  readonly look = async (path?: string): Promise<void> => this.#watch?.look(path);

  readonly ended = (id: string): void => {
    this.#copied?.ended(id);
    this.#watch?.ended(id);
  };

  readonly idle = async (): Promise<void> => void (await Promise.all([this.#watch?.idle(), this.#copied?.idle()]));
}
