import { closeSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Spawn } from "@haft/host";
import { createProcesses } from "@haft/host/process";
import { bwrapArgv, FILTER_FD } from "./bwrap.ts";
import { BWRAP_WEAKNESSES, type Fence, type FencedWorkspace, planFence } from "./fence/index.ts";
import { findBwrap, programMark } from "./find-bwrap.ts";
import { withinShim } from "./inside/shim.ts";
import { createFilterSupply } from "./seccomp/index.ts";
import { whyNoRuntime } from "./srt/try.ts";
import { SRT_WEAKNESSES } from "./srt/weaknesses.ts";

/** The ways to confine a program, the strongest first. */
const tierNames = ["view", "srt", "bwrap", "none"] as const;

/** One of the `tierNames`. */
type TierName = (typeof tierNames)[number];

/** A tier on this machine. */
interface Tier {
  readonly name: TierName;
  /** Whether it works here: the probe tries it. */
  readonly works: boolean;
  /** Why it does not work, with a hint. */
  readonly reason?: string;
  /** The guarantees of this tier. */
  readonly promises: readonly string[];
  /** The limits of this tier. */
  readonly cannot: readonly string[];
}

/** The result of a probe on this machine. */
export interface TierReport {
  /** The strongest tier that works. */
  readonly tier: TierName;
  readonly tiers: readonly Tier[];
  /** Absolute path of bubblewrap, if the tier works. */
  readonly bwrap?: string;
  /** Fingerprint of the probed bubblewrap: if another program replaces it, that one is not used. */
  readonly bwrapMark?: string;
  readonly durationMs: number;
}

/** The tiers to probe, and where to look for their programs. */
interface ProbeOptions {
  /** Folders whose programs are not trusted. */
  readonly workspaces: readonly string[];
  readonly home: string;
  /** The search path for bubblewrap. Default: PATH of this process. */
  readonly path?: string;
  /** Whether to try the sandbox runtime too, which is slow. */
  readonly srt?: boolean;
  /** The platform. Default: this one. */
  readonly platform?: string;
}

const BWRAP_PROMISES: readonly string[] = [
  "Commands write in the workspace, added folders and granted paths; the rest of the machine is read-only.",
  "Protected files (.git hooks and config, .haft, .envrc, .vscode and the like) cannot be changed.",
  "Known private files, the machine's sockets and files under deny rules cannot be opened.",
  "No network except granted hosts, through a proxy that checks every address; each tunnel counts as sending.",
  "Other processes of the machine cannot be seen, signalled or traced; every process ends with its command, and with Haft.",
  "No capabilities, no setuid, no new user namespaces, no terminal to type into; environment by allow-list.",
  "System calls that configure the kernel, mount, trace the sandbox, or use keys and io_uring are refused.",
];

/** Finds out once which confinement works by running the real thing. Never decides by version. */
export async function probeTier(options: ProbeOptions): Promise<TierReport> {
  const started = performance.now();
  const tried = await tryBwrap(options);
  const bwrap: Tier = {
    name: "bwrap",
    works: tried.path !== undefined,
    ...(tried.reason === undefined ? {} : { reason: tried.reason }),
    promises: BWRAP_PROMISES,
    cannot: tried.fence?.weaknesses ?? BWRAP_WEAKNESSES,
  };
  const srt = await srtTier(options.srt);
  return {
    tier: bwrap.works ? "bwrap" : srt.works ? "srt" : "none",
    tiers: [VIEW, srt, bwrap, NONE],
    ...(tried.path === undefined ? {} : { bwrap: tried.path }),
    ...(tried.mark === undefined ? {} : { bwrapMark: tried.mark }),
    durationMs: Math.round(performance.now() - started),
  };
}

/** Probes at the first call and caches the answer. */
export function createTierProbe(options: ProbeOptions): () => Promise<TierReport> {
  let report: Promise<TierReport> | undefined;
  return () => {
    report ??= probeTier(options);
    return report;
  };
}

const NONE: Tier = {
  name: "none",
  works: true,
  promises: [],
  cannot: ["A program has all rights of the user who started Haft: files, network, processes, secrets."],
};

/** The journal knows whether views work. Views alone confine nothing. */
const VIEW: Tier = {
  name: "view",
  works: false,
  reason:
    "A view of the workspace only holds back changes. It wraps bwrap if the journal is on. haft doctor shows under undo whether it works.",
  promises: ["Changes of a command reach the workspace only after they are in the journal."],
  cannot: ["In a view without bwrap, a program keeps all other rights of the user who started Haft."],
};

const SRT_PROMISES: readonly string[] = [
  "Commands write in the workspace, added folders and granted paths; protected files there cannot be changed.",
  "Known private files and files under deny rules cannot be opened; temporary folders are not visible.",
  "No network except granted hosts, through the runtime's proxy.",
  "Other processes of the machine cannot be seen or signalled; every process ends with its command.",
];

async function srtTier(isTried = false): Promise<Tier> {
  const reason = isTried ? await whyNoRuntime() : "It is only tried if the settings choose it: sandbox.tier srt.";
  const told = reason === undefined ? {} : { reason };
  return { name: "srt", works: reason === undefined, ...told, promises: SRT_PROMISES, cannot: SRT_WEAKNESSES };
}

interface Tried {
  readonly path?: string;
  readonly mark?: string;
  readonly fence?: Fence;
  readonly reason?: string;
}

async function tryBwrap({ workspaces, home, path, platform = process.platform }: ProbeOptions): Promise<Tried> {
  if (platform !== "linux") return { reason: "bubblewrap is for Linux only." };
  const found = await findBwrap(workspaces, path);
  if (found === undefined) return { reason: "bubblewrap is not installed. Install the package bubblewrap." };
  const mark = programMark(found);
  const root = await realpath(await mkdtemp(`${tmpdir()}/haft-probe-`));
  const filters = createFilterSupply();
  const host = createProcesses();
  const filter = filters.open({ mayTouch: true, mayConnect: true });
  const descriptors = filter === undefined ? [] : [filter];
  try {
    const workspace: FencedWorkspace = { root, additional: [], home, platform };
    const bound = { effects: [{ do: "unknown", basis: "enforced", why: "probe" }], holes: [] } as const;
    const fence = await planFence({ bound, workspace });
    const inside = (argv: readonly string[]) => ({
      ...{ cwd: root, argv: withinShim({ argv }) },
      ...(filter === undefined ? {} : { filter: FILTER_FD }),
    });
    const wrap = ({ argv }: Spawn): Spawn => ({
      argv: [found, ...bwrapArgv(fence, inside(argv))],
      ...{ cwd: "/", env: { PATH: "/usr/bin:/bin" }, descriptors },
    });
    const { exitCode, stdout, stderr } = await host.run({ command: "echo held", cwd: root, timeoutMs: 5000 }, wrap);
    if (exitCode !== 0) return { reason: whyNot(stderr.trim() || `it ended with ${exitCode}.`, found) };
    if (programMark(found) !== mark || mark === undefined)
      return { reason: `${found} was replaced during the test. Restart Haft after its installation.` };
    if (stdout.trim() === "held") return { path: found, mark, fence };
    return { reason: `${found} ran, but said ${JSON.stringify(stdout.slice(0, 200))} instead of the expected text.` };
  } catch (thrown) {
    return { reason: whyNot((thrown as Error).message, found) };
  } finally {
    for (const fd of descriptors) closeSync(fd);
    filters.close();
    await host.close();
    await rm(root, { recursive: true, force: true });
  }
}

function whyNot(said: string, program: string): string {
  const cure = /permission denied|not permitted|No permissions/i.test(said)
    ? "User namespaces are forbidden here: allow them (kernel.unprivileged_userns_clone, an AppArmor profile for bwrap, or the container's seccomp profile)."
    : "Update bubblewrap to 0.8 or later.";
  return `${program} does not work here: ${said.slice(0, 300)} ${cure}`;
}
