import { createSecretKey } from "node:crypto";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DispatchContext, DispatchedResult } from "@haft/core/executor";
import { type Effect, HaftError, read } from "@haft/core/tool";
import { Queue } from "bullmq";
import { expect } from "vitest";
import type { TestRedis } from "../../../test/support/redis-server.ts";
import { type HostOptions, openQueueHost } from "../src/host/open-host.ts";
import type { OutgoingCall } from "../src/host/sender.ts";
import { argumentsDigest, CONTRACT, digestOf, type Job } from "../src/job/job.ts";
import { retryOf } from "../src/job/retry.ts";
import { sign } from "../src/job/signature.ts";
import { connect } from "../src/redis/connect.ts";
import { namesOf } from "../src/redis/names.ts";
import { queueOf } from "../src/redis/roster.ts";
import { openQueueWorker, type WorkerOptions } from "../src/worker/open-worker.ts";

/** The key of the hosts and workers here. */
const KEY = "k".repeat(64);
/** The same as `sign` takes it. */
export const signingKey = createSecretKey(KEY, "utf8");
/** Their environment. */
export const env = { HAFT_QUEUE_KEY: KEY };
/** The folder that the workers have. */
export const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-queue-")));

/** Content of a result as text. */
export const textOf = ({ result }: DispatchedResult): string => JSON.stringify(result.content);

let count = 0;
const closing: (() => Promise<void>)[] = [];

/** A number that no other part of the file has. */
export const unique = (): number => count++;

/** Closes all hosts and workers of a case. */
export const closeAll = async (): Promise<void> => {
  await Promise.all(closing.splice(0).map((close) => close()));
};

/** A worker with a tool that says what it ran. */
export async function worker(redis: TestRedis, name: string, more: Partial<WorkerOptions> = {}) {
  const ran: string[] = [];
  const said: string[] = [];
  const opened = await openQueueWorker({
    ...{ url: redis.url, name, env, workspaces: [folder], tools: ["Echo"], journal: "j", version: "1" },
    onMessage: (message) => said.push(message),
    async run({ input }) {
      ran.push(String(input));
      return { result: { content: [{ type: "text", text: `ran ${input}` }] }, shown: [] };
    },
    ...more,
  });
  closing.push(() => opened.close());
  return { ...opened, ran, said };
}

/** A host that sends calls of that tool. */
export async function host(redis: TestRedis, name: string, more: Partial<HostOptions> = {}) {
  const session = `s${count++}`;
  const opened = await openQueueHost({ url: redis.url, name, session, isResumed: false, env, checkMs: 100, ...more });
  closing.push(() => opened.close());
  const effects: readonly Effect[] = [read(folder)];
  const send = (input: string, out: Partial<OutgoingCall> = {}, context: Partial<DispatchContext> = {}) => {
    const call: OutgoingCall = {
      ...{
        call: { id: `c${count++}`, tool: "Echo", batch: "b", turn: 1 },
        agent: { id: "main" },
        tool: "Echo",
        input,
      },
      ...{ cwd: folder, effects, retry: retryOf(out.effects ?? effects), seen: [], tickets: [] },
      policy: { digest: digestOf("{}"), text: "{}" },
      ...out,
    };
    const needs = opened.needs(call)!;
    return opened.send(call, needs, {
      ...{ signal: new AbortController().signal, progress: () => {}, starting: async () => {}, ask: async () => ({}) },
      ...context,
    });
  };
  return { ...opened, send };
}

/** Somebody who can write to Redis. */
export async function attacker(redis: TestRedis, name: string, info: Parameters<typeof queueOf>[0]) {
  const connection = await connect(redis.url);
  const queue = new Queue(queueOf(info), { connection, prefix: namesOf(name).prefix, skipVersionCheck: true });
  closing.push(async () => {
    await queue.close();
    connection.disconnect();
  });
  await connection.set(namesOf(name).policy(digestOf("{}")), sign(signingKey, "policy", "{}"));
  return { queue, connection };
}

/** A job as a host would send it. */
export const jobOf = (id: string, more: Partial<Job> = {}): Job => {
  const base = { tool: "Echo", input: "evil", cwd: folder, policy: digestOf("{}") };
  return {
    ...base,
    ...{ contract: CONTRACT, id, attempt: 1, retry: "once", reply: "nobody", tenant: "default", session: "x" },
    ...{ call: { id, tool: "Echo", batch: "b", turn: 1 }, agent: { id: "main" }, effects: [], seen: [], tickets: [] },
    ...{ digest: argumentsDigest(base), issuedAt: Date.now(), expiresAt: Date.now() + 60_000 },
    ...more,
  };
};

/** The error of a call that must fail. */
export const problem = async (promise: Promise<unknown>): Promise<HaftError> => {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(HaftError.is(thrown)).toBe(true);
  return thrown as HaftError;
};
