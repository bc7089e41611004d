import { homedir } from "node:os";
import { createClock, type Ports } from "@haft/core/tool";
import { createFiles } from "./create-files.ts";
import { createNet, type NetOptions } from "./net/index.ts";
import { createProcesses, type ProcessesOptions } from "./process/index.ts";
import { createRipgrep, type Ripgrep } from "./search/ripgrep.ts";
import { createState } from "./state.ts";

/** Overrides of the defaults. */
export interface HostOptions {
  /** The session's working folder; programs below it are never used as ripgrep. Default: that of the process. */
  readonly cwd?: string;
  /** The user's home folder. Default: the system's answer. */
  readonly home?: string;
  readonly processes?: ProcessesOptions;
  readonly net?: NetOptions;
  /** Finds ripgrep; `() => Promise.resolve(undefined)` disables it. */
  readonly ripgrep?: Ripgrep;
}

/** This machine. The ports are raw: binding them to a session adds path checks and a record of what was seen. */
export interface Host {
  readonly cwd: string;
  readonly home: string;
  readonly ports: Ports;
  /** Ends processes that commands left running, and closes connections. */
  close(): Promise<void>;
}

/** The ports of this machine. Heavy modules load at their first use. */
export function createHost(options: HostOptions = {}): Host {
  const cwd = options.cwd ?? process.cwd();
  const processes = createProcesses(options.processes);
  const ripgrep = options.ripgrep ?? createRipgrep({ workspace: cwd });
  const net = createNet(options.net);
  const ports: Ports = { files: createFiles({ ripgrep }), processes, net, clock: createClock(), state: createState() };
  return {
    cwd,
    home: options.home ?? homedir(),
    ports,
    async close() {
      await Promise.all([processes.close(), net.close()]);
    },
  };
}
