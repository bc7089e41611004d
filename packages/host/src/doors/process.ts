/** @module Programs: the port that starts them, the host that has it, and their families, pipes and ends below it. */
export { createHost, type Host, type HostOptions } from "../create-host.ts";
export { escapedMount, type MountEntry, mountsBelow } from "../mounts.ts";
export { drain } from "../process/drain.ts";
export { endHeld } from "../process/end-descendants.ts";
export { environmentOf, shellEnvironment } from "../process/environment.ts";
export { endFamily } from "../process/family/end.ts";
export { membersOf, sendSignal } from "../process/family/members.ts";
export { createWatchdog, type Watchdog } from "../process/family/watchdog.ts";
export { findProgram } from "../process/find-program.ts";
export { endGroup, signalGroup } from "../process/group.ts";
export { checkGranted, JOB_MARK, scriptDigest } from "../process/identity/identify.ts";
export { heedsChoices } from "../process/identity/version-choice.ts";
export { createProcesses } from "../process/index.ts";
export { saysOtherLetters } from "../process/letters.ts";
export { createPipeStore, createPipes, type Pipe } from "../process/pipe.ts";
export { findShell, lastingCommand, type Shell } from "../process/shell.ts";
