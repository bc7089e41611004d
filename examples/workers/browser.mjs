/**
 * A story of an agent whose browser is on a worker, without a model: it opens a page of this machine, presses a button and
 * reads what the page says then. The model is scripted; Redis, the workers and Chromium are real. It ends well only if all
 * actions ran on the one worker with the label `browser`. It needs `redis-server`, Chromium and `playwright-core`.
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createAgent } from "haft";
import { call, done, startQueue, tell } from "./start-queue.mjs";

const site = createServer((_, response) => {
  response.setHeader("content-type", "text/html");
  response.end(`<title>Orders</title><button onclick="this.textContent = '3 orders'">Count</button>`);
}).listen(0, "127.0.0.1");
await new Promise((resolve) => site.once("listening", resolve));
const host = `127.0.0.1:${site.address().port}`;

/** Looks for the button in the page that it was shown, as a model would. */
const model = {
  name: "story/scripted",
  async *step({ messages }) {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const ref = /Count.*?\[ref=(e\d+)\]/.exec(JSON.stringify(messages))?.[1];
    const calls = [
      // The browser is offered by name until it is loaded.
      ["ToolSearch", { query: "select:WebBrowser" }],
      ["WebBrowser", { action: "navigate", url: `http://${host}/` }],
      ["WebBrowser", { action: "click", ref }],
      ["WebBrowser", { action: "snapshot" }],
    ];
    if (turn === calls.length) return yield* done;
    yield call(`c${turn}`, ...calls[turn]);
    yield { type: "finish", reason: "calls" };
  },
};

const { cwd, home, scratch, url, keyFile, ...queue } = await startQueue();
try {
  // Pages of private networks are closed until the settings of the worker open them.
  const settings = join(scratch, "worker.json");
  writeFileSync(settings, JSON.stringify({ web: { privateHosts: [host] } }));
  await Promise.all([queue.worker(), queue.worker("--label", "browser", "--settings", settings)]);
  const agent = await createAgent({
    ...{ cwd, home, stateDir: join(scratch, "state"), settings: false, mode: "bypassPermissions", model },
    queue: { url, keyFile, placement: [{ tool: "WebBrowser", on: ["browser"] }] },
  });
  const { reason } = await agent.prompt("How many orders are there?");
  const read = JSON.stringify(agent.messages);
  await agent[Symbol.asyncDispose]();
  const { workers, events } = await queue.report();
  const ran = events.filter(({ is, tool }) => is === "ended" && tool !== "ToolSearch");
  const withBrowser = workers.find(({ labels }) => labels.includes("browser")).id;
  tell({
    [`the agent has ended (${reason})`]: reason !== "error" && reason !== "cancelled",
    "three actions ran on the worker with the browser":
      ran.length === 3 && ran.every(({ worker, tool }) => worker === withBrowser && tool === "WebBrowser"),
    "the page stayed open between them": read.includes("3 orders"),
  });
} finally {
  await queue.close();
  site.close();
}
