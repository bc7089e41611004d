// A scratch workspace with a journal over the real host ports, and its exact state as text.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalCall } from "@haft/core/executor";
import type { RunOutcome, RunRequest } from "@haft/core/tool";
import { createFiles } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import { afterEach } from "vitest";
import { type CaptureOptions, createCapture } from "../../src/capture.ts";
import { type HostJournal, openJournal } from "../../src/index.ts";

export interface Bench {
  readonly base: string;
  readonly root: string;
  readonly folder: string;
  readonly journal: HostJournal;
  /** A fresh journal object on the same folder, as another process would open it. */
  reopen(): HostJournal;
  /** A write through the journal, as a tool's port does it. */
  write(path: string, data: string, call?: Partial<JournalCall>): Promise<unknown>;
  /** A command through the journal, as a tool's port runs it. */
  shell(command: string, call?: Partial<JournalCall>, request?: Partial<RunRequest>): Promise<RunOutcome>;
  /** A command past the journal. Waits for what it leaves running. */
  plainly(command: string, env?: Readonly<Record<string, string>>): Promise<unknown>;
  close(): void;
}

export { stateOf } from "./state.ts";

/** Benches for the tests of a file. Each is closed when its test has ended. */
export function benches(): typeof createBench {
  const open: Bench[] = [];
  afterEach(() => {
    for (const bench of open.splice(0)) bench.close();
  });
  return (options, at) => {
    const bench = createBench(options, at);
    open.push(bench);
    return bench;
  };
}

export function createBench(options: CaptureOptions & { readonly limit?: number } = {}, at?: string): Bench {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-journal-")));
  const root = at ?? join(base, "work");
  const folder = join(base, "state", "journal");
  mkdirSync(root, { recursive: true });
  const files = createFiles();
  const capture = createCapture(options);
  const processes = createProcesses({ around: capture.around });
  const opened: HostJournal[] = [];
  const open = () => {
    const journal = openJournal({
      folder,
      root,
      capture,
      ...(options.limit === undefined ? {} : { limit: options.limit }),
    });
    opened.push(journal);
    return journal;
  };
  const journal = open();
  return {
    base,
    root,
    folder,
    journal,
    reopen: open,
    write: (path, data, call = {}) => {
      const full = join(root, path);
      return journal.change(callOf(call), { path: full, data }, () => files.write(full, data));
    },
    shell: (command, call = {}, request = {}) =>
      journal.command(callOf({ tool: "Bash", ...call }), { command, cwd: root, ...request }, processes.run),
    plainly: (command, env = {}) => processes.run({ command: `${command}\nwait`, cwd: root, env }),
    close() {
      for (const one of opened) one.close();
      // It holds a supply of pipes.
      void processes.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export const callOf = (call: Partial<JournalCall> = {}): JournalCall => ({
  id: "c1",
  tool: "Write",
  turn: 1,
  session: "s1",
  ...call,
});
