import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isWithin } from "@haft/core/tool";
import { startWorker } from "../../../worker/index.ts";
import type { Command } from "../../command.ts";
import { drawNotice } from "../../draw-notice.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { packageVersion } from "../../version.ts";
import { listOf, namedQueue } from "./queue-options.ts";

const OPTIONS = {
  name: "string",
  label: "string",
  workspace: "string",
  concurrency: "string",
  store: "string",
} as const;

/** `haft worker`: takes calls from a queue until Ctrl-C, or until `haft workers drain`. */
export const worker: Command = async (args) => {
  const { common, own } = readOptions(args, OPTIONS, 0);
  const concurrency = own.concurrency === undefined ? 4 : Number(own.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new UsageError(`"${own.concurrency}" is not a number of calls.`, "Use a whole number above 0.");
  const workspaces = listOf(own.workspace).map((folder) => resolve(folder));
  using interrupt = onInterrupt();
  const tell = (message: string) => process.stderr.write(`haft worker: ${message}\n`);
  const queue = namedQueue(common, process.env);
  const started = await startWorker({
    ...queue,
    workspaces: workspaces.length > 0 ? workspaces : [common.cwd],
    labels: listOf(own.label),
    concurrency,
    ...(own.name === undefined ? {} : { name: own.name }),
    ...(own.store === undefined ? {} : { store: own.store.includes("://") ? own.store : resolve(own.store) }),
    version: await packageVersion(),
    onMessage: tell,
    haft: {
      rules: { allow: common.allow, ask: common.ask, deny: common.deny },
      ...(common.settings === undefined ? {} : { settings: common.settings }),
      ...(common.withoutUserSettings ? { withoutUserSettings: true } : {}),
      ...(common.trust ? { trusted: true } : {}),
      onNotice: (notice) => tell(drawNotice(notice)),
    },
  });
  const { id, labels, workspaces: folders } = started.info();
  const key = queue.keyFile === undefined ? undefined : realpathSync(queue.keyFile);
  const around = folders.find((folder) => key !== undefined && isWithin(folder, key));
  if (around !== undefined) tell(`agents can read the key in the workspace ${around}. Move the file elsewhere.`);
  if (common.json) process.stdout.write(`${JSON.stringify(started.info())}\n`);
  tell(`${id} takes calls for ${folders.join(", ")}${labels.length > 0 ? ` (${labels.join(", ")})` : ""}`);
  const stopped = new Promise<void>((done) => interrupt.signal.addEventListener("abort", () => done(), { once: true }));
  if (!interrupt.signal.aborted) await Promise.race([stopped, started.ended]);
  tell("draining: finishes its calls and takes no new ones");
  await started.drain();
  await started.close();
  return EXIT.ok;
};
