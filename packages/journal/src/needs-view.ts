import type { Bound } from "@haft/core/tool";
import { mountsBelow } from "@haft/host/process";

/** Programs that delegate to a daemon outside the view, or that need rights which the view removes. */
const OUTSIDERS = new Set(
  "docker podman docker-compose podman-compose nerdctl buildah sudo su doas pkexec systemctl systemd-run mount umount".split(
    " ",
  ),
);

/** Whether a command delegates to programs that do not see a view. */
export const usesOutsideDaemon = (bound: Bound | undefined): boolean =>
  bound?.effects.some(
    (effect) =>
      effect.do === "run" &&
      [effect.argv[0] ?? "", ...(effect.wrappers ?? [])].some((name) =>
        OUTSIDERS.has(name.slice(name.lastIndexOf("/") + 1)),
      ),
  ) ?? false;

/** A view covers one file system: mounts below the workspace would be missing in it. */
export function hasMounts(root: string): boolean {
  try {
    return mountsBelow(root).length > 0;
  } catch {
    return true;
  }
}
