import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { onlyReads } from "@haft/core/policy";
import type { Spawn } from "@haft/host";
import {
  type ConfinedRequest,
  type Confinement,
  type ConfinementOptions,
  type Confiner,
  hostsOf,
  KILLED_MS,
  NO_GRANT,
  unavailable,
} from "../confinement.ts";
import { deniedBy } from "../denied.ts";
import { confinedEnvironment } from "../environment.ts";
import { createTreeReader, guardsOf, isOpaque, planFence } from "../fence/index.ts";
import { quote } from "../inside/shell-word.ts";
import { withinShim } from "../inside/shim.ts";
import { watchProtected } from "../leftovers/index.ts";
import { runtimeConfig } from "./config.ts";
import { closeRuntime, openRuntime, type Runtime } from "./runtime.ts";
import { NOT_FOR_ROOT } from "./weaknesses.ts";

/** Confines commands to their grants by the sandbox runtime instead of bubblewrap itself. The first command starts it. */
export function createRuntimeConfiner(options: ConfinementOptions): Confiner {
  const trees = createTreeReader();
  let opened: Promise<Runtime> | undefined;

  function open(): Promise<Runtime> {
    opened ??= openRuntime();
    return opened.catch((thrown: Error) => {
      opened = undefined;
      return unavailable(thrown.message);
    });
  }

  async function confine(request: ConfinedRequest): Promise<Confinement> {
    const { bound = NO_GRANT, cwd, env = {}, hasTerminal, outputs } = request;
    if (hasTerminal || outputs) unavailable("The tier srt has no terminals and serves no jobs: use the tier bwrap.");
    if (process.getuid?.() === 0) unavailable(NOT_FOR_ROOT);
    const runtime = await open();
    const { state, tmp, extra, quarantine, limits = {}, network } = options;
    const workspace = options.workspace();
    const isReader = onlyReads(bound);
    const hosts = isReader ? [] : hostsOf(bound, network);
    if (hosts === "host" || hosts.some((host) => host.includes("/")))
      unavailable("The tier srt can only reach hosts by name: name them in sandbox.network, or use the tier bwrap.");
    const reach = hosts as readonly string[];
    const writes = bound.effects.some((effect) => effect.do === "write") || isOpaque(bound);
    const fence = await planFence({
      ...{ bound, workspace, trees, cwd, use: writes ? "write" : "read" },
      network: reach.length > 0 ? "proxy" : "none",
      ...{ ...(state === undefined ? {} : { state }), ...(tmp === undefined ? {} : { tmp }) },
      ...(extra === undefined ? {} : { extra }),
    });
    const roots = [workspace.root, ...workspace.additional];
    const sockets = [runtime.getLinuxHttpSocketPath(), runtime.getLinuxSocksSocketPath()].filter(isGiven);
    const config = runtimeConfig({ fence, hosts: reach, seen: [...roots, cwd, ...(tmp ? [tmp] : []), ...sockets] });
    const guards = guardsOf(bound);
    const watched = { roots: fence.writable, guards, trees, quarantine };
    const watch = fence.writable.length > 0 ? await watchProtected(watched) : undefined;
    const added = [...(options.passEnvironment ?? []), ...Object.keys(env)];
    const surroundings = { added, temporary: tmp ?? fence.temporary, notFrom: isReader ? roots : [] };

    async function wrap(plain: Spawn): Promise<Spawn> {
      const inside = withinShim({ argv: plain.argv, limits: isReader && !options.limits ? "reader" : limits });
      const words = inside.map(quote).join(" ");
      const named = { commandId: randomUUID(), commandText: "" };
      const { argv } = await runtime.wrapWithSandboxArgv(words, SHELL, config, undefined, plain.cwd, named);
      const env = confinedEnvironment(plain.env, surroundings);
      return { argv, cwd: plain.cwd, env, isHolder: true, mountPoints: mountPointsIn(argv) };
    }

    return {
      ...{ network: fence.network, wrap, follow: () => undefined, reachable: () => [] },
      async settle(outcome) {
        // The runtime's sandbox ends before the programs in it.
        if (watch) await wait(KILLED_MS);
        return deniedBy(fence, outcome, { cwd, appeared: (await watch?.settle()) ?? [] });
      },
      release: async () => runtime.cleanupAfterCommand(),
    };
  }

  return {
    confine,
    close: () => void opened?.then(closeRuntime, () => undefined),
  };
}

const SHELL = "/bin/bash";

/**
 * Paths over which bubblewrap mounts an empty file or folder: it creates missing ones. The runtime removes them from the
 * workspace, but does not know views. Names that need double quoting are not found; they then count as ordinary changes.
 */
function mountPointsIn(argv: readonly string[]): readonly string[] {
  const script = argv.at(-1) ?? "";
  const found = script.matchAll(/ --ro-bind (?:\/dev\/null|\S*\/claude-empty-\w+) (?:'([^']+)'|([^\s'"\\]+))(?= )/g);
  return [...found].map(([, quoted, plain]) => (quoted ?? plain)!);
}

const isGiven = (path: string | undefined): path is string => path !== undefined;
