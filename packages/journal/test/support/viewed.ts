// Commands of a scratch workspace as a session with a journal runs them: each in a view of its own, in a sandbox or without.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { effects, type RunRequest } from "@haft/core/tool";
import type { HostOutcome } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import { confinedProcesses, createTierProbe } from "@haft/sandbox";
import { createCapture } from "../../src/capture.ts";
import { type HostJournal, openJournal } from "../../src/index.ts";
import { openLedger } from "../../src/ledger.ts";
import { viewsIn } from "../../src/view/mount.ts";

export interface Viewed {
  readonly journal: HostJournal;
  shell(command: string, call?: string, signal?: AbortSignal): Promise<HostOutcome>;
  /** Whether a view that stands is found. Uses it up, and waits until the next one stands. */
  stands(): Promise<boolean>;
  /** Names of the views that there are. */
  views(): readonly string[];
  /** Ids of the processes around commands. */
  waiting(): readonly string[];
  close(): Promise<void>;
}

/** Below `base`: the workspace `work`, and a state folder. */
export function createViewed(base: string, isConfined = true): Viewed {
  const [root, state] = [join(base, "work"), join(base, "state")];
  for (const folder of [root, state]) mkdirSync(folder, { recursive: true });
  const capture = createCapture({ isConfined });
  const folder = join(state, "journal");
  const journal = openJournal({ folder, root, capture });
  const { annex } = openLedger({ folder, root });
  const standing = new WeakSet<RunRequest>();
  const host = { around: capture.around };
  const plain = createProcesses(host);
  const confined = confinedProcesses({
    onRun: (request, stood) => stood && standing.add(request),
    probe: createTierProbe({ workspaces: [root], home: "/nowhere" }),
    workspace: () => ({ root, additional: [], home: "/nowhere", platform: "linux" }),
    quarantine: join(state, "quarantine"),
    host,
  });
  const bound = { effects: [effects.unknown("a test")], holes: [] };
  let turn = 0;
  const shell: Viewed["shell"] = async (command, call = `call-${++turn}`, signal) => {
    const request = { command, cwd: root, bound, ...(signal ? { signal } : {}) };
    let stood = false;
    const outcome = await journal.command({ id: call, tool: "Bash", turn, session: "s" }, request, async (asked) => {
      const ran: HostOutcome = await (isConfined ? confined : plain).run(asked);
      stood = ran.stood ?? standing.has(asked);
      return ran;
    });
    return { ...outcome, stood };
  };
  return {
    ...{ journal, shell },
    async stands() {
      const { stood } = await shell(":");
      await wait(100);
      return stood === true;
    },
    views() {
      try {
        return annex === undefined ? [] : readdirSync(viewsIn(annex));
      } catch {
        return [];
      }
    },
    waiting: () =>
      readdirSync("/proc").filter((name) => {
        try {
          const line = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, "utf8") : "";
          return /bwrap|haft-view/.test(line) && line.includes(base);
        } catch {
          return false;
        }
      }),
    async close() {
      await Promise.all([confined.close(), plain.close()]);
      journal.close();
    },
  };
}
