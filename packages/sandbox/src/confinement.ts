import { closeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { onlyReads, type SandboxLimits } from "@haft/core/policy";
import { type Bound, HaftError, isWithin } from "@haft/core/tool";
import type { Replica, Spawn } from "@haft/host";
import { startProxy } from "@haft/host/net";
import { reachOf } from "@haft/host/reach";
import { bwrapArgv, FILTER_FD, mountedBy } from "./bwrap.ts";
import { type Denied, deniedBy, type Ended } from "./denied.ts";
import { confinedEnvironment } from "./environment.ts";
import {
  createTreeReader,
  type Fence,
  type FencedWorkspace,
  type FenceRequest,
  guardsOf,
  isOpaque,
  planFence,
  realPaths,
  unopened,
} from "./fence/index.ts";
import { programMark } from "./find-bwrap.ts";
import { folderCheck, mountCheck } from "./inside/mounted.ts";
import { withinShim } from "./inside/shim.ts";
import { createKept, type Kept, watchProtected } from "./leftovers/index.ts";
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
import { viewsProcesses } from "./process-viewers.ts";
import { likenessOf } from "./sandbox-fingerprint.ts";
import { createFilterSupply } from "./seccomp/index.ts";
import type { TierReport } from "./tier.ts";

/** The input for planning fences. */
export interface ConfinementOptions {
  /** Probes this machine; called at the first command. */
  readonly probe: () => Promise<TierReport>;
  /** Called for each command: a session may add folders while it runs. */
  readonly workspace: () => FencedWorkspace;
  /**
   * Further hosts for commands that are not proved to only read, in addition to their grant. `host`: the whole network
   * of the machine; otherwise hosts and address ranges, see `reachOf`. Default: none.
   */
  readonly network?: "host" | readonly string[];
  readonly limits?: SandboxLimits;
  /** The folder of Haft's own state: hidden from programs. */
  readonly state?: string;
  /** The quarantine for protected files that a command created. A folder outside every workspace. */
  readonly quarantine: string;
  readonly tmp?: string;
  readonly extra?: FenceRequest["extra"];
  /** Further variable names that pass the allow-list. */
  readonly passEnvironment?: readonly string[];
}

/** A request to confine a program. */
export interface ConfinedRequest {
  readonly bound?: Bound;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** It has and keeps a terminal of its own. */
  readonly hasTerminal?: boolean;
  /** It is a served program: the workspace is read-only for it except these folders, and its ports are reachable. */
  readonly outputs?: readonly string[];
}

/** One command's confinement, from its plan to the end of its last process. */
export interface Confinement {
  readonly network: Fence["network"];
  /** Call it with the first process of a served program. */
  follow(process: number): void;
  reachable(): readonly string[];
  /** Wraps the command for starting, any number of times. `mark`: a word to find its processes, see `endMarked`. */
  wrap(command: Spawn, mark?: string): Spawn | Promise<Spawn>;
  /** Call it when the program has ended. Checks for leftovers, and resolves to apparent refusals. */
  settle(outcome: Ended): Promise<Denied | undefined>;
  /** Always call it at the end. */
  release(): Promise<void>;
}

/** Confines commands to their grants, each by a plan of its own. */
export interface Confiner {
  /** Fails with `sandbox_unavailable` if the grant cannot be enforced; then nothing must run. */
  confine(request: ConfinedRequest): Promise<Confinement>;
  close(): void;
}

/** A planned confinement, before anything is opened for it. */
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

/** A request without a grant may only read files that are not private. */
export const NO_GRANT: Bound = { effects: [], holes: [] };

/** Milliseconds to wait for a sandbox to vanish after its holder was killed: the holder's end does not tell that. */
export const KILLED_MS = 100;

/** Confines by bubblewrap. Does not probe or start anything before the first command. */
export const createConfiner = (options: ConfinementOptions): Confiner => new BwrapConfiner(options);

class BwrapConfiner implements Confiner {
  readonly #options: ConfinementOptions;
  readonly #trees = createTreeReader();
  readonly #filters = createFilterSupply();
  readonly #state: string | undefined;
  readonly #tmp: string | undefined;
  readonly #extra: { readonly writable?: readonly string[]; readonly hidden?: readonly string[] } | undefined;
  readonly #quarantine: string;
  readonly #limits: SandboxLimits | undefined;
  #kept: Kept | undefined;

  constructor(options: ConfinementOptions) {
    this.#options = options;
    const { state, tmp, extra, quarantine, limits } = options;
    this.#state = state;
    this.#tmp = tmp;
    this.#extra = extra;
    this.#quarantine = quarantine;
    this.#limits = limits;
  }

  close(): void {
    this.#filters.close();
  }

  async confine(request: ConfinedRequest): Promise<Confinement> {
    const planned = await this.#plan(request);
    const { fence, hosts, roots, isReader, isServed } = planned;
    const guards = guardsOf(request.bound ?? NO_GRANT);
    const watched = { roots: fence.writable, guards, trees: this.#trees, quarantine: this.#quarantine };
    const watch = fence.writable.length > 0 ? await watchProtected(watched) : undefined;
    const unopenedPaths = isServed || isReader ? [] : unopened(request.bound ?? NO_GRANT, fence.writable);
    this.#kept ??= this.#tmp === undefined ? undefined : createKept(this.#tmp);
    this.#kept?.expect(fence);
    const publisher = isServed ? await startPublisher() : undefined;
    const outward = fence.network === "proxy" ? await outwardWay(hosts, roots) : undefined;
    const way = publisher ? await inwardWay(publisher, roots) : outward;
    const open: number[] = [];
    return {
      network: fence.network,
      follow: (process) => publisher?.follow(process),
      reachable: () => publisher?.addresses() ?? [],
      wrap: (plain, mark) =>
        this.#wrap(planned, plain, { open, ...(way ? { way } : {}), ...(mark === undefined ? {} : { mark }) }),
      settle: async (outcome) => {
        if (watch && outcome.exitCode === null && !outcome.isWhole) await wait(KILLED_MS);
        const turnedAway = way?.refused();
        const appeared = (await watch?.settle()) ?? [];
        const locate = (path: string) => realPaths([path])[0];
        const left = outcome.exitCode === 0 ? (this.#kept?.fresh(unopenedPaths) ?? []) : [];
        const evidence = { cwd: request.cwd, appeared, locate, left, unopened: unopenedPaths };
        return deniedBy(fence, outcome, { ...evidence, ...(turnedAway ? { turnedAway } : {}) });
      },
      async release() {
        closeAll(open);
        await way?.close();
      },
    };
  }

  async #plan(request: ConfinedRequest): Promise<Plan> {
    const { bound = NO_GRANT, cwd, outputs } = request;
    const bwrap = bwrapOf(await this.#options.probe());
    const workspace = this.#options.workspace();
    const watches = viewsProcesses(bound);
    const isReader = onlyReads(bound);
    const isServed = outputs !== undefined && !isReader;
    const writes = bound.effects.some((effect) => effect.do === "write") || isOpaque(bound);
    const reach = isReader || isServed ? [] : hostsOf(bound, this.#options.network);
    const hosts = reach === "host" ? [] : reach;
    const network = watches || reach === "host" ? "host" : hosts.length > 0 ? "proxy" : "none";
    // A reader needs no network namespace to have no network: a filter that refuses sockets is much faster to set up.
    const mayConnect = network !== "none" || !isReader || !this.#filters.isKnown;
    const fence = await planFence({
      ...{ mayConnect, bound, workspace, network, trees: this.#trees, cwd, processes: watches ? "machine" : "own" },
      ...(isServed ? { use: "serve", outputs } : { use: writes ? "write" : "read" }),
      ...{
        ...(this.#state === undefined ? {} : { state: this.#state }),
        ...(this.#tmp === undefined ? {} : { tmp: this.#tmp }),
      },
      ...(this.#extra === undefined ? {} : { extra: this.#extra }),
      ...(process.env.PATH === undefined ? {} : { searchPath: process.env.PATH }),
    });
    const roots = [workspace.root, ...workspace.additional];
    return { request, bwrap, fence, hosts, roots, isReader, isServed, watches, mayConnect };
  }

  #wrap(planned: Plan, plain: Spawn, { open, way, mark }: Wrapping): Spawn {
    const { request, fence, roots, isReader, watches, mayConnect } = planned;
    const filter = this.#filters.open({ mayTouch: !watches, mayConnect });
    if (filter !== undefined) open.push(filter);
    const mask = maskAt(`${this.#quarantine}.mask`);
    const around = { mask, roots, ...(way ? { socket: way.socket } : {}) };
    const checks = mountCheck(mountedBy(fence, around), roots);
    const framed = (argv: readonly string[], cwd: string): readonly string[] => {
      const isInside = roots.some((root) => isWithin(root, cwd));
      const shim = {
        checks: [...checks, ...(isInside ? [folderCheck(realFolder(cwd, roots))] : [])],
        ...{
          argv,
          limits: this.#limits ?? (isReader ? ("reader" as const) : {}),
          ...(way ? { relay: way.relay } : {}),
        },
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
      added: [...(this.#options.passEnvironment ?? []), ...Object.keys(request.env ?? {})],
      temporary: fence.temporary,
      // A reader was recognized by its name, so a project's program of that name must not run.
      notFrom: isReader ? roots : [],
    };
    // A proxy is for one command. A sandbox that sees the machine's processes is best not started in advance.
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
              again: (inner, isFresh) => this.#again(isFresh ? planned : undefined, request, inner),
            },
          }
        : {}),
    };
  }

  async #again(known: Plan | undefined, request: ConfinedRequest, inner: Spawn): Promise<Replica> {
    const open: number[] = [];
    const spawn = this.#wrap(known ?? (await this.#plan(request)), inner, { open });
    return { spawn, release: async () => closeAll(open) };
  }
}

/** The real path of a folder of the workspace. If it now leads outside, keeps the name, so that nothing starts. */
function realFolder(cwd: string, roots: readonly string[]): string {
  const [real = cwd] = realPaths([cwd]);
  return roots.some((root) => isWithin(root, real)) ? real : cwd;
}

/** Resources opened for one start. */
interface Wrapping {
  /** Descriptors to close once the program has them. */
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

const inwardWay = async (publisher: Publisher, roots: readonly string[]): Promise<Way> => ({
  socket: { from: publisher.socket, to: PUBLISHER_SOCKET },
  relay: await inwardRelayArgv(roots),
  variables: {},
  refused: () => new Map(),
  close: () => publisher.close(),
});

/** The hosts of the grant and of the settings. */
export function hostsOf({ effects }: Bound, network: ConfinementOptions["network"] = []): "host" | readonly string[] {
  if (network === "host") return "host";
  const granted = effects.flatMap((effect) => {
    if (effect.do !== "connect") return [];
    const host = effect.host.includes(":") && !effect.host.startsWith("[") ? bracketed(effect.host) : effect.host;
    return [effect.port === undefined ? host : `${host}:${effect.port}`];
  });
  return [...new Set([...granted, ...network])];
}

/** An IPv6 address in brackets; leaves a host with its port unchanged. */
const bracketed = (host: string): string => (/^[^:]+:\d+$/.test(host) ? host : `[${host}]`);

function bwrapOf({ bwrap, bwrapMark, tiers }: TierReport): string {
  if (bwrap === undefined) return unavailable(tiers.find(({ name }) => name === "bwrap")?.reason ?? "");
  // A replaced program is unproved: it could run the command without confinement.
  if (bwrapMark !== undefined && programMark(bwrap) !== bwrapMark)
    return unavailable(
      `${bwrap} has changed since this session tested it: it was replaced, changed or removed. If that was an update, restart Haft.`,
    );
  return bwrap;
}

export const unavailable = (reason: string): never => {
  throw unavailableError(reason);
};

export const unavailableError = (reason: string): HaftError =>
  new HaftError({
    code: "sandbox_unavailable",
    message: `The command did not run, because it cannot be confined. ${reason}`.trim(),
    hint: "`haft doctor` shows what is missing. To run commands unconfined, the user has to turn the sandbox off.",
  });
