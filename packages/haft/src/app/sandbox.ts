import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileHost, onlyReads, type SandboxTier, type Settings, type Workspace } from "@haft/core/policy";
import { type Bound, HaftError, type Processes } from "@haft/core/tool";
import type { ProcessesOptions } from "@haft/host";
import type { ConfinementOptions, TierReport } from "@haft/sandbox";
import { findBwrap } from "@haft/sandbox/facts";
import type { StateFolder } from "@haft/service";
import type { JobsOptions } from "@haft/service/jobs";
import type { Notice, NoticeListener } from "./notice.ts";

export interface SandboxOptions {
  readonly settings: Settings;
  readonly workspace: () => Workspace;
  /** The folder with the quarantine for protected files that a command created. Without it, only commands that only read are confined. */
  readonly state: StateFolder | undefined;
  /** Wraps the view of the workspace around a program and its sandbox. */
  readonly around?: ProcessesOptions["around"];
  /** The /tmp of confined commands, shared so that one command finds another's files. Created if missing. */
  readonly tmp?: string | undefined;
  /** Extra environment variables for commands. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs the commands that need no sandbox. Absent: there are none. */
  readonly plain?: Processes;
  /** Receives one notice if an expected sandbox is missing. */
  readonly onNotice: NoticeListener;
}

type JobFence = NonNullable<JobsOptions["fence"]>;

/** The sandbox for programs. */
export interface Sandbox {
  /** Absent: programs run without a sandbox. */
  readonly processes?: Processes & { close(): Promise<void> };
  /** The same for background jobs. With `outputs` they are served: only these folders are writable. */
  readonly fence?: (...args: [...Parameters<JobFence>, outputs?: readonly string[]]) => ReturnType<JobFence>;
}

/**
 * The sandbox that the settings request. By default (`readers`), commands proved to only read run in it where one works;
 * commands approved by a person or a rule run as approved. `bash.enableSandbox` and the tiers `bwrap` and `srt` cover every
 * command: if the sandbox does not work, commands are refused. The tier `auto` covers every command where a sandbox works.
 * Once it has worked, no command meant for it ever runs without it.
 *
 * @throws HaftError `validation_failed` for a tier that this machine cannot provide.
 */
export async function openSandbox({
  settings,
  workspace,
  state,
  around,
  tmp,
  environment = {},
  plain,
  onNotice,
}: SandboxOptions): Promise<Sandbox> {
  const tier = tierOf(settings);
  if (tier === "none") return {};
  if (!state && tier !== "readers")
    throw unusable("A sandbox needs a state folder.", "Leave stateDir at its default, or name a folder.");
  const { root, cwd, home, additional } = workspace();
  const workspaces = [root, cwd, ...additional];
  const reach = reachOf(settings);
  let opened: ReturnType<typeof openConfined> | undefined;
  const open = () => {
    opened ??= openConfined(tier, { workspaces, home, environment, around }, () => ({
      workspace,
      quarantine: quarantineOf(state, cwd),
      ...(state ? { state: state.root } : {}),
      ...(tmp === undefined || tier === "readers" ? {} : { tmp: madeFolder(tmp) }),
      ...reach,
      passEnvironment: Object.keys(environment),
      ...(settings.sandbox?.limits ? { limits: settings.sandbox.limits } : {}),
    }));
    // The next command tries again, such as after a full disk.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const missing = await missingAtStart(tier, workspaces, async () => (await open()).probe());
  if (missing) {
    onNotice(missing);
    return {};
  }
  const isMeant = tier === "readers" ? onlyReads : () => true;
  let isSaid = false;

  /** The sandbox of a command that has to be confined. If none works here, `readers` and `auto` run without one, with a notice. */
  async function confinedFor(bound: Bound | undefined): Promise<Awaited<ReturnType<typeof openConfined>> | undefined> {
    if (!isMeant(bound ?? NOTHING)) return undefined;
    const confined = await open();
    if (isStrict(tier) || (await confined.probe()).bwrap !== undefined) return confined;
    if (!isSaid) onNotice(unconfined(tier, await whyOf(confined.probe)));
    isSaid = true;
    return undefined;
  }

  return {
    processes: {
      // Facts about programs are the same with and without a sandbox.
      ...plain,
      run: async (request) =>
        ((await confinedFor(request.bound))?.processes ?? plain ?? (await open()).processes).run(request),
      async prepare(like) {
        // If another tier must start its runtime first, the first command does that.
        if (tier === "srt" || !isMeant(like.bound ?? NOTHING)) return;
        const { probe, processes } = await open();
        if ((await probe()).bwrap !== undefined) await processes.prepare(like);
      },
      async close() {
        const confined = await opened?.catch(() => undefined);
        confined?.confiner.close();
        await confined?.processes.close();
      },
    },
    async fence(command, request, outputs) {
      const confined = await confinedFor(request.bound);
      return confined?.fenced(command, request, outputs);
    },
  };
}

/** The surroundings of all fences of a session. */
interface Surroundings extends Pick<SandboxOptions, "around"> {
  readonly workspaces: readonly string[];
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Opens the sandbox itself, for the first command that needs it. */
async function openConfined(
  tier: SandboxTier,
  { workspaces, home, environment, around }: Surroundings,
  optionsOf: () => Omit<ConfinementOptions, "probe">,
) {
  const { confinedProcesses, createConfiner, createRuntimeConfiner, createTierProbe, fencedBy } = await import(
    "@haft/sandbox"
  );
  const probe = createTierProbe({ workspaces, home });
  const options = { ...optionsOf(), probe };
  const create = tier === "srt" ? createRuntimeConfiner : createConfiner;
  const confiner = create(options);
  const host = { environment: { set: environment }, ...(around ? { around } : {}) };
  return {
    probe,
    confiner,
    fenced: fencedBy(confiner),
    processes: confinedProcesses({ ...options, confiner: create, host }),
  };
}

/** Tiers that never run a command unconfined: where they do not work, each command is refused with the reason. */
const isStrict = (tier: SandboxTier): boolean => tier === "bwrap" || tier === "srt";

const NOTHING: Bound = { effects: [], holes: [] };

const tierOf = ({ bash, sandbox }: Settings): SandboxTier =>
  bash?.enableSandbox ? "bwrap" : (sandbox?.tier ?? "readers");

/** Whether every command runs in a sandbox. Views of the workspace then wrap the sandbox. */
export const isSandboxed = (settings: Settings): boolean => !["none", "readers"].includes(tierOf(settings));

function reachOf({ sandbox }: Settings): Pick<ConfinementOptions, "network"> {
  const { network = false } = sandbox ?? {};
  if (typeof network === "boolean") return network ? { network: "host" } : {};
  for (const entry of network) {
    const host = /^[\da-f.:]+\/\d{1,3}$/i.test(entry) ? undefined : compileHost(entry);
    if (host && "problem" in host)
      throw unusable(
        `sandbox.network: ${host.problem}.`,
        "Name hosts (example.org, *.example.org, example.org:443) or address ranges (10.0.0.0/8).",
      );
  }
  return { network };
}

function quarantineOf(state: StateFolder | undefined, cwd: string): string {
  // Without a state folder, no confined command can write, so this stays empty.
  if (!state) return join(tmpdir(), "haft-quarantine");
  return madeFolder(join(state.workspace(cwd), "quarantine"));
}

function madeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

type Probe = () => Promise<TierReport>;

/** The notice if there is clearly no sandbox. For `readers` it only checks what is installed: starting must not take long. */
async function missingAtStart(
  tier: SandboxTier,
  workspaces: readonly string[],
  probe: Probe,
): Promise<Notice | undefined> {
  if (isStrict(tier)) return undefined;
  if (tier === "readers") {
    // On other systems nothing can be installed; `haft doctor` explains it.
    if (process.platform !== "linux" || (await findBwrap(workspaces)) !== undefined) return undefined;
    return unconfined(tier, "bubblewrap is not installed.");
  }
  return (await probe()).bwrap === undefined ? unconfined(tier, await whyOf(probe)) : undefined;
}

const whyOf = async (probe: Probe): Promise<string> =>
  (await probe()).tiers.find(({ name }) => name === "bwrap")?.reason ?? "";

const unusable = (message: string, hint: string): HaftError =>
  new HaftError({ code: "validation_failed", message, hint });

const unconfined = (tier: SandboxTier, why: string): Notice => ({
  code: "sandbox_missing",
  severity: "warning",
  source: "sandbox",
  message: `No sandbox works on this machine: ${tier === "readers" ? "commands that only read" : "commands"} run unconfined. ${why}`,
  cure: "Install bubblewrap, or set bash.enableSandbox to refuse commands instead.",
  setting: ["sandbox", "tier"],
});
