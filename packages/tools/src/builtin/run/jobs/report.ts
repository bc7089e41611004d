import {
  type Absent,
  display,
  fail,
  grouped,
  type JobState,
  type Jobs,
  type OfferContext,
  type Ports,
} from "@haft/core/tool";

/** A job as its tools report it to programs and models: the data of `JobState`. */
export type JobReport = Pick<
  JobState,
  "id" | "command" | "pid" | "status" | "exitCode" | "durationMs" | "bytes" | "lines" | "left" | "hasTerminal"
> &
  Partial<Pick<JobState, "signal" | "endedBy" | "file" | "description" | "changes" | "writable" | "reachable">>;

export function reportOf(state: JobState): JobReport {
  const { cwd, startedAt, fileBytes, takesInput, isOpaque, ...report } = state;
  return report;
}

/** The status of a job in a few words: "running for 12 s", "ended with exit code 1 after 3 s". */
export function standing({ status, exitCode, signal, endedBy, durationMs, left }: JobReport): string {
  const time = durationMs < 10_000 ? `${(durationMs / 1000).toFixed(1)} s` : `${Math.round(durationMs / 1000)} s`;
  if (status === "running") return `running for ${time}`;
  const how = signal ? `was ended by ${signal}` : exitCode === null ? "ended" : `ended with exit code ${exitCode}`;
  const why = endedBy === "timeout" ? " because of its timeout" : endedBy === "stop" ? " because it was stopped" : "";
  return `${how} after ${time}${why}${left ? "; processes that it started are still running" : ""}`;
}

/** The files changed while a job ran, as a sentence to append. */
export const changesNote = ({ changes, reachable = [] }: JobReport): string =>
  `${reachable.length === 0 ? "" : ` It can be reached at ${reachable.join(", ")}.`}${changes ? ` ${changes}` : ""}`;

/**
 * The folders a served job may change and the addresses where it can be reached, as sentences; "" for any other job.
 */
export function servedNote({ writable, reachable = [], cwd }: JobState): string {
  if (writable === undefined) return "";
  const names = writable.slice(0, SHOWN).map((folder) => display(cwd, folder));
  const folders = `${names.join(", ")}${writable.length > SHOWN ? ", ..." : ""}`;
  const reach = reachable.length === 0 ? "" : ` It can be reached at ${reachable.join(", ")}.`;
  return `The workspace is read-only for it${folders && ` but for ${folders}`}; it has no network.${reach}`;
}

/** Maximum output folders in a sentence. */
const SHOWN = 5;

/** The port for jobs. Tools that need it are not offered without it, so this fails only in a host that lies. */
export const jobsOf = ({ jobs }: Ports): Jobs =>
  jobs ?? fail("tool_unavailable", "This host has no background jobs.", "Run the command in the foreground.");

/** The port for jobs, for a task of this id. If there is no such job, names the working agents as well as the jobs. */
export function jobsNamed(ports: Ports, id: string): Jobs {
  const jobs = jobsOf(ports);
  const agents = (ports.agents?.list() ?? []).filter(({ status }) => status === "running");
  if (jobs.find(id) || agents.length === 0) return jobs;
  const names = agents.map(({ id: agent, name, type }) => `${agent} (${name ?? type})`);
  return fail(
    "invalid_input",
    `There is no background task "${id}".`,
    `Running: ${[
      ...jobs
        .list()
        .filter(({ status }) => status === "running")
        .map((job) => job.id),
      ...names,
    ].join(", ")}.`,
  );
}

export const needsJobs = ({ ports }: OfferContext): true | Absent =>
  ports.has("jobs") ? true : { absent: "this host has no background jobs" };

/** The note before a text whose beginning is left out. */
export const skippedNote = (skipped: number, { id, file }: JobReport): string =>
  skipped === 0
    ? ""
    : `[${grouped(skipped)} earlier bytes are left out; ${file ? `they begin in ${file}` : `process log ${id} has the recorded part`}]\n`;
