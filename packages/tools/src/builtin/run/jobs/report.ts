import { type Absent, fail, type JobState, type Jobs, type OfferContext, type Ports } from "@haft/core/tool";

/** A job as its tools report it: what `JobState` says, for programs and models. */
export type JobReport = Pick<
  JobState,
  "id" | "command" | "pid" | "status" | "exitCode" | "durationMs" | "bytes" | "lines" | "left" | "hasTerminal"
> &
  Partial<Pick<JobState, "signal" | "endedBy" | "file" | "description" | "changes">>;

export function reportOf(state: JobState): JobReport {
  const { cwd, startedAt, fileBytes, takesInput, isOpaque, ...report } = state;
  return report;
}

/** How a job stands, in a few words: "running for 12 s", "ended with exit code 1 after 3 s". */
export function standing({ status, exitCode, signal, endedBy, durationMs, left }: JobReport): string {
  const time = durationMs < 10_000 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;
  if (status === "running") return `running for ${time}`;
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  const why =
    endedBy === "timeout" ? " because its time was over" : endedBy === "stop" ? " because it was stopped" : "";
  return `${how} after ${time}${why}${left ? "; processes that it started are still running" : ""}`;
}

/** What changed in files while a job ran, as a sentence behind others. */
export const changesNote = ({ changes }: JobReport): string => (changes ? ` ${changes}` : "");

/** The port for jobs. A tool that needs it is not offered without it, so this fails only in a host that lies. */
export const jobsOf = ({ jobs }: Ports): Jobs =>
  jobs ?? fail("tool_unavailable", "This host has no background jobs.", "Run the command in the foreground.");

export const needsJobs = ({ ports }: OfferContext): true | Absent =>
  ports.has("jobs") ? true : { absent: "this host has no background jobs" };

/** What stands in front of text of which the beginning is left out. */
export const skippedNote = (skipped: number, { id, file }: JobReport): string =>
  skipped === 0
    ? ""
    : `[${skipped} bytes before this are left out; ${file ? `they begin in ${file}` : `process log ${id} has what is kept`}]\n`;
