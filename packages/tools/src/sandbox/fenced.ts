import type { JobRequest, RunOutcome } from "@haft/core/tool";
import type { Spawn } from "../host/index.ts";
import type { Confiner } from "./confinement.ts";
import { endGently } from "./members.ts";

/** A program that goes on by itself, in its fence. */
export interface Fenced {
  readonly command: Spawn;
  /** Whether a shell in front says on descriptor 3 when a signal ended the program. */
  readonly saysSignals: boolean;
  /** Asks the programs inside to end, before what holds them is ended. */
  endGently(graceMs: number): Promise<void>;
  /** To be told how it ended. Gives what seems to have been refused, and what was taken away. */
  over(outcome: Pick<RunOutcome, "exitCode" | "output">): Promise<string | undefined>;
  /** To be told instead, when it could not be started. */
  release(): Promise<void>;
}

/** Puts background jobs in the fence of their grants. Fails with `sandbox_unavailable` where that is not possible. */
export const fencedBy =
  (confiner: Confiner) =>
  async (plain: Spawn, request: JobRequest): Promise<Fenced> => {
    const confinement = await confiner.confine(request);
    return {
      command: confinement.wrap(plain),
      saysSignals: confinement.saysSignals,
      endGently: (graceMs) => endGently(confinement.mark, graceMs),
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
