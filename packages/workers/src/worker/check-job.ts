import type { KeyObject } from "node:crypto";
import { isWithin, type ToolError } from "@haft/core/tool";
import { argumentsDigest, CONTRACT, digestOf, type Job } from "../job/job.ts";
import { verify } from "../job/signature.ts";
import type { Connection } from "../redis/connect.ts";
import type { Names } from "../redis/names.ts";

export interface JobCheck {
  readonly redis: Connection;
  readonly names: Names;
  readonly key: KeyObject;
  /** The id under which the queue handed it out. */
  readonly id: string;
  readonly now: number;
  readonly maxBytes: number;
  readonly workspaces: readonly string[];
}

/** A job that may run; one that is refused with an answer; or one that nobody with the key has sent. */
export type CheckedJob =
  | { readonly job: Job; readonly policy: string }
  | { readonly job: Job; readonly refused: ToolError }
  | { readonly forged: string };

/** Difference of clocks that a job may show: both sides use the clock of Redis. */
const SKEW_MS = 30_000;

/** Checks everything about a job before it starts: signature, id, version, age, digest, size, folder and rules. */
export async function checkJob(signed: unknown, check: JobCheck): Promise<CheckedJob> {
  const bytes = typeof signed === "string" ? signed.length : 0;
  if (bytes > check.maxBytes) return { forged: `it has ${bytes} bytes; ${check.maxBytes} are allowed` };
  const job = verify<Job>(check.key, "job", signed);
  if (!job) return { forged: "its signature is wrong" };
  if (job.id !== check.id) return { forged: `it is a copy of ${job.id} under the id ${check.id}` };
  const refuse = (code: ToolError["code"], message: string, hint: string): CheckedJob => ({
    job,
    refused: { code, message: `${message} The call was not started.`, hint },
  });
  if (job.contract > CONTRACT)
    return refuse(
      "tool_unavailable",
      `The worker speaks version ${CONTRACT} of the contract; the call needs ${job.contract}.`,
      "Update the workers first, then the hosts.",
    );
  if (check.now > job.expiresAt || job.issuedAt > check.now + SKEW_MS)
    return refuse(
      "tool_unavailable",
      `The call reached a worker too late, or the host's clock is ahead: it was made at ${new Date(job.issuedAt).toISOString()} and had to start by ${new Date(job.expiresAt).toISOString()}.`,
      "Call again. If that repeats, start more workers or raise queue.startWithinMs.",
    );
  if (job.digest !== argumentsDigest(job)) return { forged: "its arguments do not match its signature" };
  if (!check.workspaces.some((folder) => isWithin(folder, job.cwd)))
    return refuse(
      "tool_unavailable",
      `The worker does not have the folder ${job.cwd}.`,
      `Start a worker with --workspace ${job.cwd}.`,
    );
  return rulesOf(job, check, refuse);
}

const known = new Map<string, string>();
const MOST_KNOWN = 100;

async function rulesOf(
  job: Job,
  { redis, names, key }: JobCheck,
  refuse: (code: ToolError["code"], message: string, hint: string) => CheckedJob,
): Promise<CheckedJob> {
  const before = known.get(job.policy);
  if (before !== undefined) return { job, policy: before };
  const text = await redis.get(names.policy(job.policy));
  const policy = text === null ? undefined : verify<string>(key, "policy", text);
  if (policy === undefined || digestOf(policy) !== job.policy)
    return refuse(
      "tool_unavailable",
      "The rules of the call are not in Redis, or somebody changed them.",
      "Call again: the host sends them again.",
    );
  const [oldest] = known.keys();
  if (known.size >= MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(job.policy, policy);
  return { job, policy };
}
