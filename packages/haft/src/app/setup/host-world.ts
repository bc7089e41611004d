import type { HostPorts } from "@haft/core/host";
import type { Mode } from "@haft/core/policy";
import { createClock, fail, type Ports } from "@haft/core/tool";
import { createNet, createState } from "@haft/host";
import type { Setup } from "./setup.ts";
import { privateHostsOf } from "./web-hosts.ts";
import { NO_JOBS, ownJournal, type World } from "./world.ts";

/**
 * The world of a host that is not this machine. Haft's own sandbox and journal know this machine only, so neither is used:
 * the host confines its programs itself, and undo needs a journal in the options.
 */
export async function openHostWorld(setup: Setup, host: HostPorts): Promise<World> {
  const { options } = setup;
  await requireMode(setup.mode);
  const own = createNet({ privateHosts: privateHostsOf(setup) });
  const { files, processes, net = own, clock = createClock(), jobs } = host;
  const ports: Ports = { files, processes, net, clock, state: createState(), ...(jobs ? { jobs } : {}) };
  const journal = ownJournal(options);
  return {
    ports,
    // Nothing starts a job in it: jobs of this host are its own.
    jobs: NO_JOBS,
    journaling: undefined,
    ...(journal ? { journal } : {}),
    requireMode,
    async close() {
      await Promise.all([own.close(), host.close?.()]);
    },
  };
}

async function requireMode(mode: Mode): Promise<void> {
  if (mode === "undoable")
    fail(
      "validation_failed",
      "Mode undoable needs views or copies of the workspace, which only work on this machine, not on another host.",
      "Use the mode default or acceptEdits, which ask instead.",
    );
}
