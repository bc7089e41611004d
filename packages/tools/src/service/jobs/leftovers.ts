import type { Processes, RunRequest } from "@haft/core/tool";
import type { JobStore } from "./store.ts";

/**
 * Programs of which those that a command in the foreground leaves running become jobs: they can be listed and ended, and
 * end with the session. What is left of a command that was ended itself is ended too, also what had left its group.
 * `applies`: nothing else ends what that command leaves.
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
