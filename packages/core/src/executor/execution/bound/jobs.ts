import type { Grant } from "../../../policy/index.ts";
import { fail, type JobCopy, type JobRequest, type JobState, type Jobs } from "../../../tool/index.ts";
import type { JobJournal, JournalCall } from "../../journal.ts";
import { undeclared } from "./undeclared.ts";

/**
 * Background jobs as one call gets them. Starting one needs a granted `run`, reading them the state `jobs`, changing
 * them its change. Input for a job with unknown behaviour is as good as a command, so it needs a granted `run` too.
 */
export function boundJobs(
  raw: Jobs,
  call: JournalCall,
  grant: Grant,
  journal: JobJournal | undefined,
  check?: (request: JobRequest) => Promise<void>,
): Jobs {
  const { tool } = call;
  const mayRun = grant.effects.some((effect) => effect.do === "run" || effect.do === "unknown");
  const states = grant.effects.filter((effect) => effect.do === "state" && effect.of === "jobs");
  // A call owns the jobs that it has started: it may watch and end them.
  const own = new Set<string>();

  function look(id?: string): void {
    if (states.length === 0 && !(id !== undefined && own.has(id))) undeclared(tool, "read background jobs");
  }

  /** Work in the workspace itself cannot be judged before its changes become real. */
  function refuseHold(isServed: boolean): void {
    if (grant.hold && !isServed)
      fail(
        "sandbox_denied",
        "This command may only run with its changes held, not in the background.",
        "Run it in the foreground, where its result can be checked first.",
      );
  }

  function change(id: string): void {
    const may = states.some((effect) => effect.do === "state" && effect.change);
    if (!may && !own.has(id)) undeclared(tool, `change the background job ${id}`);
  }

  async function withChanges(state: JobState): Promise<JobState> {
    const changes = await journal?.changesDuring(state.id);
    return changes === undefined ? state : { ...state, changes };
  }

  return {
    ...(raw.servesHeld ? { servesHeld: true } : {}),
    ...(raw.takesCopies ? { takesCopies: true } : {}),
    async start({ copy: _, ...request }) {
      if (!mayRun) undeclared(tool, `run ${request.command}`);
      refuseHold(raw.servesHeld === true);
      await check?.(request);
      const state = await started({ ...request, bound: grant }, raw, call, journal);
      own.add(state.id);
      return state;
    },
    find: (id) => raw.find(id),
    list() {
      look();
      return raw.list();
    },
    async wait(id, limit) {
      look(id);
      return withChanges(await raw.wait(id, limit));
    },
    async output(id, window) {
      look(id);
      return raw.output(id, window);
    },
    async write(id, data, options) {
      change(id);
      // Closing its input does not instruct it to do anything.
      const job = raw.find(id);
      const isCommand = data !== "" && job?.isOpaque === true;
      if (isCommand) refuseHold(job.writable !== undefined);
      if (!mayRun && isCommand) undeclared(tool, `tell the background job ${id} what to do`);
      return raw.write(id, data, options);
    },
    async stop(id) {
      change(id);
      return withChanges(await raw.stop(id));
    },
    async remove(id) {
      change(id);
      return raw.remove(id);
    },
  };
}

/** Starts a job, in a copy of the workspace if its request wants one. */
async function started(
  { inCopy = false, ...request }: JobRequest & { readonly bound: Grant },
  raw: Jobs,
  call: JournalCall,
  journal: JobJournal | undefined,
): Promise<JobState> {
  if (inCopy && !(journal && raw.takesCopies)) noCopy(journal ? "These jobs take none" : "The journal is off");
  if (!journal) return raw.start(request);
  const launch = (copy?: JobCopy) =>
    inCopy && !copy ? noCopy("The journal makes none") : raw.start({ ...request, ...(copy ? { copy } : {}) });
  return journal.start(call, request.bound, launch, { inCopy });
}

const noCopy = (why: string): never =>
  fail("tool_unavailable", `There is no copy of the workspace for a job: ${why}.`, "Leave in_copy out.");
