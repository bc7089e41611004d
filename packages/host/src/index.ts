/** @module The ports on Node: files, programs, clock and state of this machine. */
import { homedir } from "node:os";
import { createClock, type Ports } from "@haft/core/tool";
import { createFiles } from "./create-files.ts";
import { createNet, type NetOptions } from "./net/index.ts";
import { createProcesses, type ProcessesOptions } from "./process/index.ts";
import { createRipgrep, type Ripgrep } from "./search/ripgrep.ts";
import { createState } from "./state.ts";

export { isAlive, ownMark, processOf } from "./alive.ts";
export { createFiles } from "./create-files.ts";
export { isDue } from "./daily.ts";
export { withFileLock, withShortFileLock } from "./file-lock.ts";
export { splitLines } from "./files/lines.ts";
export { locate } from "./files/locate.ts";
export { sequenceLength } from "./files/utf8.ts";
export { escapedMount, type MountEntry, mountsBelow } from "./mounts.ts";
export { createNet, type Reach, reachOf } from "./net/index.ts";
export { type EnvironmentOptions, environmentOf, shellEnvironment } from "./process/environment.ts";
export { JOB_MARK } from "./process/identity/identify.ts";
export {
  createProcesses,
  type HostOutcome,
  type HostProcesses,
  type ProcessesOptions,
  type Replica,
  type Spawn,
  type Standby,
} from "./process/index.ts";
export { globFilter, splitGlob } from "./search/glob.ts";
export { createRipgrep } from "./search/ripgrep.ts";
export { createState } from "./state.ts";
export { bytesOfFile, NotRead, textOfFile } from "./whole-file.ts";

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
