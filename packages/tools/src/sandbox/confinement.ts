import { closeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { SandboxLimits } from "@haft/core/policy";
import { type Bound, HaftError, isWithin } from "@haft/core/tool";
import type { Replica, Spawn } from "../host/index.ts";
import { startProxy } from "../host/net/proxy.ts";
import { reachOf } from "../host/net/reach.ts";
import { bwrapArgv, FILTER_FD, mountedBy, programMark } from "./bwrap.ts";
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
  realPaths,
  unopened,
} from "./fence/index.ts";
import { folderCheck, mountCheck } from "./inside/mounted.ts";
import { withinShim } from "./inside/shim.ts";
import { createKept, type Kept, watchProtected } from "./left/index.ts";
import { likenessOf } from "./likeness.ts";
import { maskAt } from "./mask.ts";
import {
  inwardRelayArgv,
  PROXY_SOCKET,
  PUBLISHER_SOCKET,
  type Publisher,
  proxyVariables,
  relayArgv,
  startPublisher,
} from "./network/index.ts";
import { createFilterSupply } from "./seccomp/index.ts";
import { watchesMachine } from "./sight.ts";
import type { TierReport } from "./tier.ts";

/** What fences are planned from. */
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
  /** It is served: it finds the workspace read-only but for these folders, and can be reached at its ports. */
  readonly outputs?: readonly string[];
}

/** One command's confinement, from its plan to the end of what it started. */
export interface Confinement {
  readonly network: Fence["network"];
  /** To be told of the first process of what is served, and where that can be reached. */
  follow(process: number): void;
  reachable(): readonly string[];
  /** The program as it is to be started. Good for more than one start. `mark`: a word by which it is found, see `endMarked`. */
  wrap(command: Spawn, mark?: string): Spawn | Promise<Spawn>;
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

/** What a request may find and do, before anything is opened for it. */
interface Plan {
  readonly request: ConfinedRequest;
  readonly bwrap: string;
  readonly fence: Fence;
  readonly hosts: readonly string[];
  readonly roots: readonly string[];
  readonly isReader: boolean;
  readonly isServed: boolean;
  readonly watches: boolean;
  readonly mayConnect: boolean;
}

/** A request without a grant may read what is not private, and nothing else. */
export const NO_GRANT: Bound = { effects: [], holes: [] };

/** Milliseconds after which nothing is left of a sandbox whose holder was killed: then its end does not say so. */
export const KILLED_MS = 100;

/** Confines by bubblewrap. Nothing is tried or started before the first command. */
export function createConfiner(options: ConfinementOptions): Confiner {
  const trees = createTreeReader();
  const filters = createFilterSupply();
  const { state, tmp, extra, quarantine, limits } = options;
  let kept: Kept | undefined;

  async function plan(request: ConfinedRequest): Promise<Plan> {
    const { bound = NO_GRANT, cwd, outputs } = request;
    const bwrap = bwrapOf(await options.probe());
    const workspace = options.workspace();
    const watches = watchesMachine(bound);
    const isReader = onlyReads(bound);
    const isServed = outputs !== undefined && !isReader;
    const writes = bound.effects.some((effect) => effect.do === "write") || isOpaque(bound);
    const reach = isReader || isServed ? [] : hostsOf(bound, options.network);
    const hosts = reach === "host" ? [] : reach;
    const network = watches || reach === "host" ? "host" : hosts.length > 0 ? "proxy" : "none";
    // Who only reads needs no network of its own to have none: a filter that refuses sockets is much faster to put up.
    const mayConnect = network !== "none" || !isReader || !filters.isKnown;
    const fence = await planFence({
      ...{ mayConnect, bound, workspace, network, trees, cwd, processes: watches ? "machine" : "own" },
      ...(isServed ? { use: "serve", outputs } : { use: writes ? "write" : "read" }),
      ...{ ...(state === undefined ? {} : { state }), ...(tmp === undefined ? {} : { tmp }) },
      ...(extra === undefined ? {} : { extra }),
      ...(process.env.PATH === undefined ? {} : { searchPath: process.env.PATH }),
    });
    const roots = [workspace.root, ...workspace.additional];
    return { request, bwrap, fence, hosts, roots, isReader, isServed, watches, mayConnect };
  }

  function wrap(planned: Plan, plain: Spawn, { open, way, mark }: Wrapping): Spawn {
    const { request, fence, roots, isReader, watches, mayConnect } = planned;
    const filter = filters.open({ mayTouch: !watches, mayConnect });
    if (filter !== undefined) open.push(filter);
    const mask = maskAt(`${quarantine}.mask`);
    const around = { mask, roots, ...(way ? { socket: way.socket } : {}) };
    const checks = mountCheck(mountedBy(fence, around), roots);
    const framed = (argv: readonly string[], cwd: string): readonly string[] => {
      const isInside = roots.some((root) => isWithin(root, cwd));
      const shim = {
        checks: [...checks, ...(isInside ? [folderCheck(realFolder(cwd, roots))] : [])],
        ...{ argv, limits: limits ?? (isReader ? ("reader" as const) : {}), ...(way ? { relay: way.relay } : {}) },
        tellsLeft: fence.processes === "own" && mark === undefined,
      };
      const inside = {
        ...{ argv: withinShim(shim), cwd, ...around, hasTerminal: request.hasTerminal === true },
        ...(mark === undefined ? {} : { mark }),
        ...(filter === undefined ? {} : { filter: FILTER_FD, isSocketless: !mayConnect }),
      };
      return [planned.bwrap, ...bwrapArgv(fence, inside)];
    };
    const surroundings = {
      added: [...(options.passEnvironment ?? []), ...Object.keys(request.env ?? {})],
      temporary: fence.temporary,
      // That a program only reads was concluded from its name.
      notFrom: isReader ? roots : [],
    };
    // A proxy is for one command, and who sees the machine's processes is best not there before it is asked for.
    const isPrepared = !way && !watches && !request.hasTerminal;
    const likeness = () => likenessOf(framed([], ""), fence, [...roots, request.cwd, mask, planned.bwrap]);
    return {
      argv: framed(plain.argv, plain.cwd),
      ...{ cwd: "/", env: { ...confinedEnvironment(plain.env, surroundings), ...way?.variables } },
      ...{ descriptors: filter === undefined ? [] : [filter], isHolder: true },
      ...(isPrepared
        ? {
            ahead: {
              likeness: likeness(),
              again: (inner, isFresh) => again(isFresh ? planned : undefined, request, inner),
            },
          }
        : {}),
    };
  }

  async function again(known: Plan | undefined, request: ConfinedRequest, inner: Spawn): Promise<Replica> {
    const open: number[] = [];
    const spawn = wrap(known ?? (await plan(request)), inner, { open });
    return { spawn, release: async () => closeAll(open) };
  }

  async function confine(request: ConfinedRequest): Promise<Confinement> {
    const planned = await plan(request);
    const { fence, hosts, roots, isReader, isServed } = planned;
    const guards = guardsOf(request.bound ?? NO_GRANT);
    const watched = { roots: fence.writable, guards, trees, quarantine };
    const watch = fence.writable.length > 0 ? await watchProtected(watched) : undefined;
    const unopenedPaths = isServed || isReader ? [] : unopened(request.bound ?? NO_GRANT, fence.writable);
    kept ??= tmp === undefined ? undefined : createKept(tmp);
    kept?.expect(fence);
    const publisher = isServed ? await startPublisher() : undefined;
    const outward = fence.network === "proxy" ? await outwardWay(hosts, roots) : undefined;
    const way = publisher ? await inwardWay(publisher, roots) : outward;
    const open: number[] = [];
    return {
      network: fence.network,
      follow: (process) => publisher?.follow(process),
      reachable: () => publisher?.addresses() ?? [],
      wrap: (plain, mark) =>
        wrap(planned, plain, { open, ...(way ? { way } : {}), ...(mark === undefined ? {} : { mark }) }),
      async settle(outcome) {
        if (watch && outcome.exitCode === null && !outcome.isWhole) await wait(KILLED_MS);
        const turnedAway = way?.refused();
        const appeared = (await watch?.settle()) ?? [];
        const locate = (path: string) => realPaths([path])[0];
        const left = outcome.exitCode === 0 ? (kept?.fresh(unopenedPaths) ?? []) : [];
        const evidence = { cwd: request.cwd, appeared, locate, left, unopened: unopenedPaths };
        return deniedBy(fence, outcome, { ...evidence, ...(turnedAway ? { turnedAway } : {}) });
      },
      async release() {
        closeAll(open);
        await way?.close();
      },
    };
  }
  return { confine, close: () => filters.close() };
}

/** Where a folder of the workspace really is. One that leads out of it by now is left as it is named: then nothing starts. */
function realFolder(cwd: string, roots: readonly string[]): string {
  const [real = cwd] = realPaths([cwd]);
  return roots.some((root) => isWithin(root, real)) ? real : cwd;
}

/** What is open for one start. */
interface Wrapping {
  /** Descriptors, to be closed when the program has them. */
  readonly open: number[];
  readonly way?: Way;
  readonly mark?: string;
}

function closeAll(open: number[]): void {
  for (const fd of open.splice(0)) closeSync(fd);
}

interface Way {
  readonly socket: { readonly from: string; readonly to: string };
  readonly relay: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  refused(): ReadonlyMap<string, string>;
  close(): Promise<void>;
}

async function outwardWay(hosts: readonly string[], roots: readonly string[]): Promise<Way> {
  const isLocal = hosts.some((host) => /^(?:localhost|127\.|\[?::1)/.test(host));
  const relay = await relayArgv(roots);
  const { socket, refused, close } = await startProxy(reachOf(hosts));
  return { socket: { from: socket, to: PROXY_SOCKET }, relay, variables: proxyVariables(isLocal), refused, close };
}

const inwardWay = async ({ socket, close }: Publisher, roots: readonly string[]): Promise<Way> => ({
  socket: { from: socket, to: PUBLISHER_SOCKET },
  relay: await inwardRelayArgv(roots),
  variables: {},
  refused: () => new Map(),
  close,
});

/** The hosts of the grant, and what the settings open. */
export function hostsOf({ effects }: Bound, network: ConfinementOptions["network"] = []): "host" | readonly string[] {
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

function bwrapOf({ bwrap, bwrapMark, tiers }: TierReport): string {
  if (bwrap === undefined) return unavailable(tiers.find(({ name }) => name === "bwrap")?.reason ?? "");
  // Whatever stands there now has proved nothing: it could run what it is given as it is.
  if (bwrapMark !== undefined && programMark(bwrap) !== bwrapMark)
    return unavailable(
      `${bwrap} is not the program any more that was tried in this session: it was replaced, changed or removed. If that is an update, start Haft again.`,
    );
  return bwrap;
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
