import { statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { fail, isWithin } from "@haft/core/tool";
import type { QueueWorker, WorkerOptions } from "@haft/workers";
import { openParts } from "../app/create-haft.ts";
import type { HaftOptions } from "../app/haft.ts";
import { loadWorkers } from "../app/queue/load-workers.ts";
import { netOfStore } from "../app/queue/store-net.ts";
import { real } from "../app/workspace.ts";
import { sentPolicies } from "./judge.ts";
import { jobRunner } from "./run-job.ts";
import { sessionBrowsers } from "./session-browsers.ts";

/** Options of a worker process. */
export interface StartOptions
  extends Pick<
    WorkerOptions,
    | "url"
    | "keyFile"
    | "name"
    | "labels"
    | "store"
    | "storeAbove"
    | "maxJobBytes"
    | "concurrency"
    | "heartbeatMs"
    | "onMessage"
    | "version"
  > {
  /** The folders that it works in. Each has its own settings and journal. */
  readonly workspaces: readonly string[];
  /** Settings, tools and folders of the worker's own Haft. Its deny rules and its sandbox hold for all jobs. */
  readonly haft?: Pick<
    HaftOptions,
    "settings" | "withoutUserSettings" | "trusted" | "rules" | "tools" | "stateDir" | "home" | "env" | "onNotice"
  >;
}

/**
 * Starts a worker: it takes calls from the queue until it is closed.
 * @throws HaftError if a workspace is not a folder of this machine, or the queue cannot be used.
 */
export async function startWorker({ workspaces, haft = {}, ...options }: StartOptions): Promise<QueueWorker> {
  const { openQueueWorker, digestOf } = await loadWorkers();
  const folders = workspaces.map(real);
  const missing = folders.find((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  if (missing !== undefined)
    fail(
      "validation_failed",
      `The workspace ${missing} is not a folder on this machine.`,
      "Make it, or name another one.",
    );
  const concurrency = options.concurrency ?? 4;
  const opened = await Promise.all(
    folders.map(async (cwd) => {
      const parts = await openParts({ ...haft, cwd, mode: "default", mcpServers: false, loopGuard: false });
      const browsers = sessionBrowsers(parts);
      return { cwd, parts, browsers, run: jobRunner(parts, concurrency, browsers.of) };
    }),
  );
  const policyOf = sentPolicies();
  const { path, machine } = opened[0]!.parts;
  const { registry, home } = machine;
  const worker = await openQueueWorker({
    ...options,
    workspaces: folders,
    tools: registry.entries().map(({ tool }) => tool.name),
    journal: digestOf([hostname(), opened.map(({ parts }) => parts.journal?.path ?? home)]).slice(0, 16),
    env: haft.env ?? process.env,
    netFor: netOfStore,
    ...(path === undefined ? {} : { keepIn: join(dirname(path), "results") }),
    run(job, text, context) {
      const place = opened.filter(({ cwd }) => isWithin(cwd, job.cwd)).toSorted((a, b) => b.cwd.length - a.cwd.length);
      return place[0]!.run(job, policyOf(job.policy, text), context);
    },
    onSessionEnd(tenant, session) {
      for (const { browsers } of opened) browsers.end(tenant, session).catch(() => {});
    },
  });
  return {
    ...worker,
    async close() {
      await worker.close();
      await Promise.all(opened.map(({ browsers }) => browsers.close()));
      await Promise.all(opened.map(({ parts }) => parts.close()));
    },
  };
}
