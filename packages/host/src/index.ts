/** @module The ports on Node: files, clock and state of this machine. Programs have a door of their own. */
export { isAlive, ownMark, processOf } from "./alive.ts";
export { createFiles } from "./create-files.ts";
export { isDue } from "./daily.ts";
export { withFileLock, withShortFileLock } from "./file-lock.ts";
export { splitLines } from "./files/lines.ts";
export { locate } from "./files/locate.ts";
export { sequenceLength } from "./files/utf8.ts";
export { createNet, type Reach } from "./net/index.ts";
export type { EnvironmentOptions } from "./process/environment.ts";
export type { HostOutcome, HostProcesses, ProcessesOptions, Replica, Spawn, Standby } from "./process/index.ts";
export { createRipgrep } from "./search/ripgrep.ts";
export { createState } from "./state.ts";
