import type { JobState, RunRequest } from "@haft/core/tool";
import { endFamily, membersOf } from "@haft/host/process";
import { createInput } from "./input.ts";
import type { Job } from "./job.ts";
import type { OutputLog } from "./output-log.ts";

interface Adoption {
  readonly id: string;
  /** The variable that all its processes inherit, as `NAME=value`. */
  readonly mark: string;
  /** Start time of its command. */
  readonly startedAt: number;
  readonly log: OutputLog;
}

/** Milliseconds between two checks whether any of its processes still runs. */
const LOOK_MS = 1000;
/** Milliseconds between asking processes to end and killing them. */
const GRACE_MS = 500;

/** Makes a job of the processes that a foreground command left running; `undefined` when it left none. */
export async function adoptJob(
  { id, mark, startedAt, log }: Adoption,
  { command, cwd }: RunRequest,
): Promise<Job | undefined> {
  const family = () => ({ leader: 0, mark, isLed: false });
  const [first] = await membersOf(family());
  if (first === undefined) return undefined;
  const pid = first.id;
  const over = Promise.withResolvers<void>();
  let endedAt: number | undefined;
  let endedBy: JobState["endedBy"];

  function end(): void {
    clearInterval(timer);
    endedAt ??= Date.now();
    over.resolve();
  }
  const timer = setInterval(async () => {
    if ((await membersOf(family())).length === 0) end();
  }, LOOK_MS).unref();

  return {
    id,
    log,
    input: createInput(null, id),
    ended: over.promise,
    state: () => ({
      ...{ id, command, cwd, pid, startedAt },
      status: endedAt === undefined ? "running" : "ended",
      exitCode: null,
      ...(endedBy ? { endedBy, signal: "SIGTERM" } : {}),
      durationMs: (endedAt ?? Date.now()) - startedAt,
      ...{ bytes: log.bytes, lines: log.lines, fileBytes: log.file?.bytes ?? 0 },
      ...(log.file ? { file: log.file.path } : {}),
      ...{ takesInput: false, hasTerminal: false, isOpaque: true, left: false },
    }),
    async stop(by) {
      if (endedAt !== undefined) return;
      endedBy ??= by;
      await endFamily(family, GRACE_MS);
      end();
      await log.file?.close();
    },
  };
}
