import { randomUUID } from "node:crypto";
import type { JobRequest, RunOutcome } from "@haft/core/tool";
import type { Spawn } from "../host/index.ts";
import type { Confiner } from "./confinement.ts";
import { endMarked } from "./members.ts";

/** A program that goes on by itself, in its fence. */
export interface Fenced {
  readonly command: Spawn;
  /** Folders that it may fill, where the rest of the workspace is read-only for it. */
  readonly writable?: readonly string[];
  /** To be told of its first process, when it has started. */
  started(process: number): void;
  /** Where it can be reached on this machine. */
  reachable(): readonly string[];
  /** Asks the programs inside to end, before what holds them is ended, and makes them. */
  endGently(graceMs: number): Promise<void>;
  /** To be told how it ended. Gives what seems to have been refused, and what was taken away. */
  over(outcome: Pick<RunOutcome, "exitCode" | "output">): Promise<string | undefined>;
  /** To be told instead, when it could not be started. */
  release(): Promise<void>;
}

/** Puts background jobs in the fence of their grants. Fails with `sandbox_unavailable` where that is not possible. */
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
