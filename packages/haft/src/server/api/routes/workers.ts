import type { QueueOptions } from "@haft/workers";
import { z } from "zod";
import { loadWorkers } from "../../../app/queue/load-workers.ts";
import type { ServerParts } from "../../live/parts.ts";
import { type Route, route } from "../../route/route.ts";
import { json } from "../shapes.ts";

/** The queue with its workers, as `haft workers` shows it. Nothing here changes it. */
export const workerRoutes = ({ base }: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/workers",
    summary: "The queue: calls that wait and run, workers with their heartbeats, the latest events",
    answer: z.object({
      why: z.string().optional(),
      queue: z.object({ address: z.string(), name: z.string(), isUsed: z.boolean() }).optional(),
      report: json.optional(),
    }),
    async run() {
      const queue = queueOf(base);
      if (!queue) return { why: "No queue is configured, so every call runs on this machine." };
      const { url, name = "default", isUsed } = queue;
      const { queueAdmin } = await loadWorkers();
      const report = await queueAdmin.report({ url, name });
      return { queue: { address: new URL(url).host, name, isUsed }, report };
    },
  }),
];

type KnownQueue = Pick<QueueOptions, "url" | "name"> & {
  /** The sessions of this server send calls to it. Otherwise the environment names it for the commands only. */
  readonly isUsed: boolean;
};

function queueOf({ queue, env = process.env }: ServerParts["base"]): KnownQueue | undefined {
  if (queue !== undefined) return { ...(typeof queue === "string" ? { url: queue } : queue), isUsed: true };
  const { HAFT_QUEUE: url = "" } = env;
  return url === "" ? undefined : { url, isUsed: false };
}

/** Whether there is a queue to show. */
export const hasQueue = (base: ServerParts["base"]): boolean => queueOf(base) !== undefined;
