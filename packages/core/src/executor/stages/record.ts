import type { EndedRun, Stage } from "../call-run.ts";
import { outcomeOf } from "../outcome.ts";

/** Records the call. The result mentions a failure of the log, but what was done stays done. */
export const record: Stage<EndedRun> = (callRun) => {
  const { recorder } = callRun.machine;
  if (!recorder) return;
  try {
    return recorder.record(outcomeOf(callRun))?.catch((thrown: unknown) => note(callRun, thrown));
  } catch (thrown) {
    note(callRun, thrown);
  }
};

function note(callRun: EndedRun, thrown: unknown): void {
  const logProblem = `This call could not be written to the session log: ${thrown instanceof Error ? thrown.message : thrown}`;
  callRun.result = { ...callRun.result, metadata: { ...callRun.result.metadata, logProblem } };
}
