import { randomUUID } from "node:crypto";
import { closeSync } from "node:fs";
import type { SandboxLimits } from "@haft/core/policy";
import { type Bound, HaftError } from "@haft/core/tool";
import type { Spawn } from "../host/index.ts";
import { watchProtected } from "./appeared.ts";
import { bwrapArgv, FILTER_FD } from "./bwrap.ts";
import { type Denied, deniedBy, type Ended } from "./denied.ts";
import { confinedEnvironment } from "./environment.ts";
import {
  createTreeReader,
  type Fence,
  type FencedWorkspace,
  type FenceRequest,
  guardsOf,
  isOpaque,
  onlyReads,
  planFence,
} from "./fence/index.ts";
import { likenessOf } from "./likeness.ts";
import { maskAt } from "./mask.ts";
import { processIds, untilGone } from "./members.ts";
import { type HostProxy, PROXY_SOCKET, proxyVariables, reachOf, relayArgv, startProxy } from "./network/index.ts";
import { createFilterSupply } from "./seccomp/index.ts";
import { withinShim } from "./shim.ts";
import { watchesMachine } from "./sight.ts";
import type { TierReport } from "./tier.ts";

export interface ConfinementOptions {
  /** What was found on this machine; asked at the first command. */
  readonly probe: () => Promise<TierReport>;
  /** Asked for each command: folders may be added while a session runs. */
  readonly workspace: () => FencedWorkspace;
  /**
   * What commands may reach that are not proved to only read, besides the hosts of their grant. `host`: the whole network
   * of the machine; else hosts and address ranges, see `reachOf`. Default: nothing.
   */
  readonly network?: "host" | readonly string[];
  readonly limits?: SandboxLimits;
  /** The folder of Haft's own state: hidden from programs. */
  readonly state?: string;
  /** Where protected files go that a command made. A folder outside every workspace. */
  readonly quarantine: string;
  readonly tmp?: string;
  readonly extra?: FenceRequest["extra"];
  /** Names of variables that pass the allow-list besides. */
  readonly passEnvironment?: readonly string[];
}

/** What is to be confined. */
export interface ConfinedRequest {
  readonly bound?: Bound;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** It has a terminal of its own, which it keeps. */
  readonly hasTerminal?: boolean;
}

/** One command's confinement, from its plan to the end of what it started. */
export interface Confinement {
  /** The word by which its processes are found, see `endGently`. */
  readonly mark: string;
  readonly network: Fence["network"];
  /** Whether a shell in front says it when a signal ended the program. */
  readonly saysSignals: boolean;
  /** The program as it is to be started. Good for more than one start. */
  wrap(command: Spawn): Spawn;
  /** To be told when the program has ended. Looks at what it left behind, and says what seems to have been refused. */
  settle(outcome: Ended): Promise<Denied | undefined>;
  /** Always to be told at the end. */
  release(): Promise<void>;
}

/** Confines commands to their grants, each by a plan of its own. */
export interface Confiner {
  /** Fails with `sandbox_unavailable` where the grant cannot be enforced; nothing must be run then. */
  confine(request: ConfinedRequest): Promise<Confinement>;
  close(): void;
}

/** A request without a grant may read what is not private, and nothing else. */
const NOTHING: Bound = { effects: [], holes: [] };

export function createConfiner(options: ConfinementOptions): Confiner {
  const trees = createTreeReader();
  const filters = createFilterSupply();
  const { state, tmp, extra, quarantine, limits = {} } = options;

  async function confine({
    bound = NOTHING,
    cwd,
    env = {},
    hasTerminal = false,
  }: ConfinedRequest): Promise<Confinement> {
    const bwrap = bwrapOf(await options.probe());
    const workspace = options.workspace();
    const use = bound.effects.some((effect) => effect.do === "write") || isOpaque(bound) ? "write" : "read";
    const watches = watchesMachine(bound);
    const hosts = watches || onlyReads(bound) ? [] : hostsOf(bound, options.network);
    const network = watches || hosts === "host" ? "host" : hosts.length > 0 ? "proxy" : "none";
    // Who only reads needs no network of its own to have none: a filter that refuses sockets is much faster to put up.
    const mayConnect = network !== "none" || !onlyReads(bound) || !filters.isKnown;
    const fence = await planFence({
      ...{ mayConnect, bound, workspace, use, network, trees, cwd, processes: watches ? "machine" : "own" },
      ...{ ...(state === undefined ? {} : { state }), ...(tmp === undefined ? {} : { tmp }) },
      ...(extra === undefined ? {} : { extra }),
    });
    const guards = guardsOf(bound, workspace.platform);
    const isWriter = fence.writable.length > 0;
    const watch = isWriter
      ? await watchProtected({ roots: fence.writable, guards, trees, quarantine })
      : { settle: async () => [] };
    const before = isWriter ? processIds() : undefined;
    const roots = [workspace.root, ...workspace.additional];
    const way = hosts === "host" || network !== "proxy" ? undefined : await openWay(hosts, roots);
    const mark = `HAFT_RUN_${randomUUID()}`;
    const passed = [...(options.passEnvironment ?? []), ...Object.keys(env)];
    // That a program only reads was concluded from its name.
    const notFrom = onlyReads(bound) ? roots : [];
    const surroundings = { added: passed, temporary: fence.temporary, notFrom };
    const open: number[] = [];
    // A proved reader forks no bombs, writes no core, and a shell as the first program costs as much as the command.
    const isBare = onlyReads(bound) && Object.keys(limits).length === 0;

    function wrap(plain: Spawn): Spawn {
      const filter = filters.open({ mayTouch: !watches, mayConnect });
      if (filter !== undefined) open.push(filter);
      const argv = isBare ? plain.argv : withinShim({ argv: plain.argv, limits, ...(way ? { relay: way.relay } : {}) });
      const socket = way ? { from: way.proxy.socket, to: PROXY_SOCKET } : undefined;
      const inside = {
        ...{ argv, cwd: plain.cwd, hasTerminal, mark, mask: maskAt(`${quarantine}.mask`) },
        ...(filter === undefined ? {} : { filter: FILTER_FD, isSocketless: !mayConnect }),
        ...(socket ? { socket } : {}),
      };
      return {
        ...(isBare && !watches && !mayConnect ? { ahead: likenessOf(fence, [...roots, cwd]) } : {}),
        argv: [bwrap, ...bwrapArgv(fence, inside)],
        cwd: "/",
        env: { ...confinedEnvironment(plain.env, surroundings), ...way?.variables },
        descriptors: filter === undefined ? [] : [filter],
      };
    }

    return {
      ...{ mark, network, saysSignals: !isBare, wrap },
      async settle(outcome) {
        if (before) await untilGone(mark, before);
        const turnedAway = way?.proxy.refused();
        const appeared = await watch.settle();
        return deniedBy(fence, outcome, { cwd, appeared, ...(turnedAway ? { turnedAway } : {}) });
      },
      async release() {
        for (const fd of open.splice(0)) closeSync(fd);
        await way?.proxy.close();
      },
    };
  }
  return { confine, close: () => filters.close() };
}

interface Way {
  readonly proxy: HostProxy;
  readonly relay: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

async function openWay(hosts: readonly string[], roots: readonly string[]): Promise<Way> {
  const isLocal = hosts.some((host) => /^(?:localhost|127\.|\[?::1)/.test(host));
  const relay = await relayArgv(roots);
  return { proxy: await startProxy(reachOf(hosts)), relay, variables: proxyVariables(isLocal) };
}

/** The hosts of the grant, and what the settings open. */
function hostsOf({ effects }: Bound, network: ConfinementOptions["network"] = []): "host" | readonly string[] {
  if (network === "host") return "host";
  const granted = effects.flatMap((effect) => {
    if (effect.do !== "connect") return [];
    const host = effect.host.includes(":") && !effect.host.startsWith("[") ? bracketed(effect.host) : effect.host;
    return [effect.port === undefined ? host : `${host}:${effect.port}`];
  });
  return [...new Set([...granted, ...network])];
}

/** An IPv6 address in brackets; a host with its port as it is. */
const bracketed = (host: string): string => (/^[^:]+:\d+$/.test(host) ? host : `[${host}]`);

function bwrapOf({ bwrap, tiers }: TierReport): string {
  return bwrap ?? unavailable(tiers.find(({ name }) => name === "bwrap")?.reason ?? "");
}

export const unavailable = (reason: string): never => {
  throw unavailableError(reason);
};

export const unavailableError = (reason: string): HaftError =>
  new HaftError({
    code: "sandbox_unavailable",
    message: `The command was not run, since it cannot be confined. ${reason}`.trim(),
    hint: "`haft doctor` tells what is missing. To run commands unconfined, the user has to switch the sandbox off.",
  });
