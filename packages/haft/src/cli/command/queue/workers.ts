import { resolve } from "node:path";
import type { QueueReport } from "@haft/workers";
import { loadWorkers } from "../../../app/queue/load-workers.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { namedQueue } from "./queue-options.ts";

const OPTIONS = { name: "string" } as const;

/** `haft workers [list] | watch | drain ID | key FILE`: the queue and its workers. */
export const workers: Command = async (args) => {
  const { common, own, words } = readOptions(args, OPTIONS, 2);
  const [verb = "list", object] = words;
  const terminal = processTerminal();
  const { queueAdmin } = await loadWorkers();
  if (verb === "key") {
    if (object === undefined) throw new UsageError("Which file?", "Usage: haft workers key FILE.");
    queueAdmin.writeKey(resolve(object));
    await terminal.print(`Wrote a new key to ${resolve(object)}. Copy it to every host and worker.\n`);
    return EXIT.ok;
  }
  const named = namedQueue(common, process.env);
  const { url } = named;
  const queue = own.name ?? named.name;
  const name = queue === undefined ? {} : { name: queue };
  if (verb === "list") {
    const report = await queueAdmin.report({ url, ...name });
    await terminal.print(common.json ? `${JSON.stringify(report, null, 2)}\n` : drawReport(report));
    return EXIT.ok;
  }
  if (verb === "watch") {
    using interrupt = onInterrupt();
    for await (const event of queueAdmin.watch({ url, ...name }, interrupt.signal))
      await terminal.print(`${common.json ? JSON.stringify(event) : drawEvent(event)}\n`);
    return EXIT.ok;
  }
  if (verb !== "drain")
    throw new UsageError(`There is no "workers ${verb}".`, "Use list, watch, drain ID or key FILE.");
  if (object === undefined) throw new UsageError("Which worker?", "`haft workers` lists them.");
  const keyFile = named.keyFile === undefined ? {} : { keyFile: named.keyFile };
  const heard = await queueAdmin.drain(object, { url, ...name, ...keyFile, env: process.env });
  if (!heard) throw new UsageError(`There is no worker ${object}.`, "`haft workers` lists them.");
  await terminal.print(`${object} takes no new calls and ends after the running ones.\n`);
  return EXIT.ok;
};

/** The queue and its workers as lines. */
export function drawReport({ workers: all, waiting, running, events, redis }: QueueReport): string {
  const calls = (count: number): string => `${count} ${count === 1 ? "call" : "calls"}`;
  const head = `Redis ${redis.version}: ${calls(waiting)} waiting, ${running} running, ${all.length} ${all.length === 1 ? "worker" : "workers"}`;
  const lines = all.map(
    ({ id, active, concurrency, done, labels, workspaces, version, draining, silentMs }) =>
      `  ${id}  ${active}/${concurrency} running, ${done} done, version ${version}` +
      `${silentMs === undefined ? "" : `, heartbeat ${Math.round(silentMs / 1_000)} s ago`}${draining ? ", draining" : ""}\n` +
      `    ${workspaces.join(", ")}${labels.length > 0 ? `  [${labels.join(", ")}]` : ""}`,
  );
  const advice = [
    redis.full ? "  Redis is full and takes no new calls: raise its maxmemory, or remove old keys." : "",
    redis.persistent ? "" : "  Redis does not save to disk: start it with --appendonly yes.",
    redis.evicts ? "  Redis may drop calls when it is full: set maxmemory-policy noeviction." : "",
  ].filter((line) => line !== "");
  const past = events.length > 0 ? ["", ...events.slice(-SHOWN_EVENTS).map((event) => `  ${drawEvent(event)}`)] : [];
  return `${[head, ...lines, ...advice, ...past].join("\n")}\n`;
}

type QueueEvent = QueueReport["events"][number];

const SHOWN_EVENTS = 8;

const WORDS: Readonly<Record<QueueEvent["is"], string>> = {
  ...{ joined: "takes calls", draining: "takes no new calls", left: "has ended", ended: "ran", failed: "failed at" },
  ...{ refused: "refused", lost: "was lost during the call" },
};

/** An event of the queue as a line. Others may have written it: control characters are taken out. */
export function drawEvent({ at, is, worker, tool, session, ms, code }: QueueEvent): string {
  const time = new Date(at).toISOString().slice(11, 19);
  const words = [time, worker, WORDS[is] ?? is, tool, session && `of session ${session}`];
  const facts = [ms ? `${ms} ms` : "", code ?? ""].filter((fact) => fact !== "");
  const line = `${words.filter(Boolean).join(" ")}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  return line.replace(/[\x00-\x1f\x7f-\x9f]/g, "");
}
