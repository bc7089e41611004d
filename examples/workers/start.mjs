/**
 * A story of an agent with three workers, without a model: reads and commands go to the plain workers, and training to the
 * one with the label `gpu`. The model is scripted; Redis, queue and workers are real. It ends well only if every call ran
 * where it belongs. It needs `redis-server` in the PATH.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "haft";
import { call, done, startQueue, tell } from "./start-queue.mjs";

const turns = [
  [
    call("a", "Read", { file_path: "data.csv" }),
    call("b", "Bash", { command: "wc -l data.csv > lines.txt" }),
    call("c", "Bash", { command: "sh train.sh > model.txt" }),
    { type: "finish", reason: "calls" },
  ],
  done,
];
const model = {
  name: "story/scripted",
  async *step({ messages }) {
    yield* turns[messages.filter(({ role }) => role === "assistant").length];
  },
};

const { cwd, home, scratch, url, keyFile, ...queue } = await startQueue();
try {
  writeFileSync(join(cwd, "data.csv"), "1,2\n3,4\n");
  writeFileSync(join(cwd, "train.sh"), "echo a model of $(cat data.csv | tr '\\n' ' ')\n");
  await Promise.all([queue.worker(), queue.worker(), queue.worker("--label", "gpu")]);
  const agent = await createAgent({
    ...{ cwd, home, stateDir: join(scratch, "state"), settings: false, mode: "bypassPermissions", model },
    queue: { url, keyFile, placement: [{ command: "sh train.sh", on: ["gpu"] }] },
  });
  const { reason } = await agent.prompt("Train a model.");
  await agent[Symbol.asyncDispose]();
  const { workers, events } = await queue.report();
  const ran = events.filter(({ is }) => is === "ended");
  const withGpu = workers.find(({ labels }) => labels.includes("gpu")).id;
  tell({
    [`the agent has ended (${reason})`]: reason !== "error" && reason !== "cancelled",
    "three workers take calls": workers.length === 3,
    "three calls ran on workers": ran.length === 3,
    "the training ran on the worker with the label": ran.filter(({ worker }) => worker === withGpu).length === 1,
    "the files are there": ["lines.txt", "model.txt"].every((name) => readFileSync(join(cwd, name), "utf8") !== ""),
  });
} finally {
  await queue.close();
}
