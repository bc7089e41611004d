import type { JobCopy } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import { asOneself, UNSHARE } from "../view/mount.ts";

/** Programs have absolute paths, because PATH is the command's. */
const MOUNT = [
  "mount=/usr/bin/mount; [ -x $mount ] || mount=/bin/mount",
  '$mount -n --bind -- "$1" "$2" || exit 1',
  'cd "$3" || exit 1; shift 3; exec "$@"',
].join("\n");

/** The program that runs `command` with the copy in the place of the workspace. It stays one process. */
export function mountCopy({ folder, at, as }: JobCopy, command: Spawn): Spawn {
  const isUser = as === "user";
  const { cwd, argv } = command;
  return {
    ...command,
    argv: [
      ...[UNSHARE, ...(isUser ? ["--user", "--map-root-user"] : []), "--mount", "--propagation", "slave"],
      ...["/bin/sh", "-c", MOUNT, "haft-copy", folder, at, cwd, ...(isUser ? asOneself() : []), ...argv],
    ],
    cwd: "/",
  };
}
