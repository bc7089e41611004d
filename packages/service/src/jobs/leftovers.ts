import type { Processes, RunRequest } from "@haft/core/tool";
import type { JobStore } from "./store.ts";

/**
 * Turns the processes that a foreground command leaves running into jobs. They can be listed and ended, and end with
 * the session. If the command was killed, its leftovers are killed too, including those that left its group.
 * `applies`: nothing else ends the leftovers of that command.
 */
export const withLeftovers = <P extends Processes>(
  plain: P,
  jobs: () => Pick<JobStore, "keepLeftovers">,
  applies: (request: RunRequest) => boolean,
): P => ({
  ...plain,
  async run(request: RunRequest) {
    if (!applies(request)) return plain.run(request);
    const { env, adopt } = jobs().keepLeftovers(request);
    const outcome = await plain.run({ ...request, env: { ...request.env, ...env } });
    const left = await adopt({ end: outcome.timedOut || outcome.cancelled });
    return left ? { ...outcome, left: true, leftJob: left.id } : outcome;
  },
});
