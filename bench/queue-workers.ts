/** Workers of both ways in a process of their own, as in a fleet: `queue-workers.ts PORT COUNT`. */
import type { DispatchedResult } from "@haft/core/executor";
import { openQueueWorker } from "@haft/workers";
import { Worker } from "bullmq";

export const CONCURRENCY = 8;
export const KEY = "k".repeat(64);
/** Characters of a signed result, so that both carry as much. */
const RESULT_CHARS = 190;

if (import.meta.main) {
  const [port, count] = process.argv.slice(2).map(Number) as [number, number];
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const common = { url: `redis://127.0.0.1:${port}`, name: "ours", env: { HAFT_QUEUE_KEY: KEY } };
  const place = { workspaces: ["/w"], tools: ["Echo"], journal: "j", version: "1", concurrency: CONCURRENCY };
  const ours: DispatchedResult = { result: { content: [{ type: "text", text: "y".repeat(30) }] }, shown: [] };
  const bare = { text: "y".repeat(RESULT_CHARS) };
  for (let index = 0; index < count; index++) {
    await openQueueWorker({ ...common, ...place, run: async () => ours });
    await new Worker("bare", async () => bare, { connection, concurrency: CONCURRENCY }).waitUntilReady();
  }
  process.send?.("ready");
}
