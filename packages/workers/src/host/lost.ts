import { HaftError } from "@haft/core/tool";
import type { Job } from "../job/job.ts";

type Sent = Pick<Job, "tool" | "effects">;

/** The error of a call that no worker has started in time. */
export const notStarted = (tool: string, ms: number): HaftError =>
  new HaftError({
    code: "tool_unavailable",
    message: `No worker started this call of ${tool} within ${ms / 1_000} seconds. It did not run and will not run.`,
    hint: "`haft workers` shows how busy they are. Call again, or start more workers.",
  });

/** The error of a call that may have happened. One that only reads can be made again. */
export function lostError(sent: Sent, isRead: boolean, worker?: string): HaftError {
  const { tool } = sent;
  if (isRead)
    return new HaftError({
      code: "tool_unavailable",
      message: `Redis is gone, so this call of ${tool} has no result. It only reads.`,
      hint: "Start Redis again, then call again.",
    });
  const lost = worker === undefined ? "Redis was lost after it took" : `The worker ${worker} was lost during`;
  return new HaftError({
    code: "outcome_unknown",
    message: `${lost} this call of ${tool}. Unknown outcome: verify with ${checkFor(sent.effects)}.`,
    hint: "Do not repeat it before you have checked what it did.",
  });
}

/** How to find out whether a call has happened, by its effects. */
function checkFor(effects: Sent["effects"]): string {
  const paths = effects.flatMap((effect) => (effect.do === "write" ? [effect.path] : []));
  const hosts = effects.flatMap((effect) => (effect.do === "connect" && effect.sends ? [effect.host] : []));
  if (paths.length > 0) return `a read of ${[...new Set(paths)].slice(0, 3).join(", ")}`;
  if (hosts.length > 0) return `a request to ${[...new Set(hosts)].slice(0, 3).join(", ")} that only reads`;
  return "a command that only reads, such as `git status` or `ls`";
}
