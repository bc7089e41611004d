import { randomUUID } from "node:crypto";
import type { JobRequest, RunOutcome } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import type { Confiner } from "./confinement.ts";
import { endMarked } from "./members.ts";

/** A background program in its fence. */
export interface Fenced {
  readonly command: Spawn;
  /** Folders that it may write to, if the rest of the workspace is read-only for it. */
  readonly writable?: readonly string[];
  /** Call it with the first process once the program has started. */
  started(process: number): void;
  /** Addresses of the program on this machine. */
  reachable(): readonly string[];
  /** Asks the programs inside to end, and kills them after `graceMs`, before the process that holds them ends. */
  endGently(graceMs: number): Promise<void>;
  /** Call it with the outcome. Resolves to a text on apparent refusals and on quarantined files. */
  over(outcome: Pick<RunOutcome, "exitCode" | "output">): Promise<string | undefined>;
  /** Call it instead of `over` if the program could not be started. */
  release(): Promise<void>;
}

/** Puts background jobs in the fence of their grants. Fails with `sandbox_unavailable` if that is not possible. */
export const fencedBy =
  (confiner: Confiner) =>
  async (plain: Spawn, request: JobRequest, outputs?: readonly string[]): Promise<Fenced> => {
    const confinement = await confiner.confine({ ...request, ...(outputs ? { outputs } : {}) });
    const mark = `HAFT_RUN_${randomUUID()}`;
    const command = await confinement.wrap(plain, mark);
    return {
      ...(outputs ? { writable: outputs } : {}),
      started: confinement.follow,
      reachable: confinement.reachable,
      command,
      endGently: (graceMs) => endMarked(mark, graceMs),
      async over(outcome) {
        try {
          return (await confinement.settle(outcome))?.text;
        } finally {
          await confinement.release();
        }
      },
      release: () => confinement.release(),
    };
  };
