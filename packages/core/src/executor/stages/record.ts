import type { Flight, Stage } from "../flight.ts";
import { outcomeOf } from "../outcome.ts";

/** Records the call. The result mentions a failure of the log, but what was done stays done. */
export const record: Stage = (flight: Flight) => {
  const { recorder } = flight.machine;
  if (!recorder) return;
  try {
    return recorder.record(outcomeOf(flight))?.catch((thrown: unknown) => note(flight, thrown));
  } catch (thrown) {
    note(flight, thrown);
  }
};

function note(flight: Flight, thrown: unknown): void {
  const logProblem = `This call could not be written to the session log: ${thrown instanceof Error ? thrown.message : thrown}`;
  flight.result = { ...flight.result!, metadata: { ...flight.result!.metadata, logProblem } };
}
