import type { Mode, Settings, Workspace } from "@haft/core/policy";
import { onlyReads } from "@haft/core/policy";
import { HaftError, type Processes } from "@haft/core/tool";
import type { StateFolder } from "@haft/service";
import type { JobsOptions } from "@haft/service/jobs";
import { openSandbox } from "../sandbox.ts";
import type { Journaling } from "./open-journal.ts";

export interface HoldOptions {
  readonly settings: Settings;
  readonly workspace: () => Workspace;
  readonly state: StateFolder | undefined;
  /** Extra environment variables for commands. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly journaling: Journaling | undefined;
}

/** Confines commands on hold, whatever the settings say of other commands. */
export interface Hold {
  readonly processes: Processes;
  readonly fence: NonNullable<JobsOptions["fence"]>;
  close(): Promise<void>;
}

/**
 * Sends commands on hold (and dry runs) into the fence: no network, and private files hidden. A command has the workspace
 * as a view. A background job is served: the workspace is read-only except for its output folders, and its ports are
 * reachable. Without a fence both are refused; other commands run as usual. The first of them creates the fence.
 */
export function openHold(options: HoldOptions & { readonly others: HoldOthers }): Hold {
  const { others } = options;
  let opened: ReturnType<typeof openFence> | undefined;
  let serving = 0;
  const made: (() => void)[] = [];
  /** Waits for the last job: a folder that is empty for one job may be open for another. */
  const over = () => {
    if (--serving === 0) for (const release of made.splice(0)) release();
  };
  const fenced = () => {
    opened ??= openFence(options);
    return opened;
  };
  return {
    processes: {
      ...others.processes,
      fencesHeld: true,
      run: async (request) => (request.bound?.hold ? (await fenced()).processes : others.processes).run(request),
    },
    async fence(command, request) {
      if (!request.bound?.hold) return others.fence?.(command, request);
      // Protected paths stay protected: a job's writes become real before anybody can review them.
      const { hold: _, ...bound } = request.bound;
      const { outputsOf } = await import("@haft/journal/outputs");
      const inCopy = request.copy && { folders: [request.copy.at], release: () => {} };
      const outputs = onlyReads(bound)
        ? undefined
        : (inCopy ?? (await outputsOf(options.workspace().root, request.cwd)));
      serving++;
      if (outputs) made.push(outputs.release);
      try {
        const { fence } = await fenced();
        const held = await fence(command, { ...request, bound }, outputs?.folders ?? []);
        return held && withRelease(held, over);
      } catch (thrown) {
        over();
        throw thrown;
      }
    },
    async close() {
      await (await opened?.catch(() => undefined))?.processes.close();
    },
  };
}

/** Runs everything that is not on hold. */
export interface HoldOthers {
  readonly processes: Processes;
  readonly fence?: NonNullable<JobsOptions["fence"]> | undefined;
}

type Fenced = NonNullable<Awaited<ReturnType<Hold["fence"]>>>;

const withRelease = (fenced: Fenced, release: () => void): Fenced => ({
  ...fenced,
  over: (outcome) => fenced.over(outcome).finally(release),
  release: () => fenced.release().finally(release),
});

async function openFence({ settings, workspace, state, journaling, environment = {} }: HoldOptions) {
  const { network: _, ...sandbox } = settings.sandbox ?? {};
  const { processes, fence } = await openSandbox({
    settings: { ...settings, bash: { ...settings.bash, enableSandbox: true }, sandbox: { ...sandbox, tier: "bwrap" } },
    workspace: () => onlyViewed(workspace()),
    state,
    environment,
    ...(journaling?.capture ? { around: journaling.capture.around } : {}),
    // The fence never leaves anything unconfined: it refuses instead.
    onNotice: () => {},
  });
  if (processes && fence) return { processes, fence };
  throw new HaftError({
    code: "sandbox_unavailable",
    message: "No sandbox is available for commands on hold.",
    hint: "Run it without dry_run and in another mode, or install bubblewrap (haft doctor shows what is missing).",
  });
}

/** A view shows the workspace only. Added folders can be read but not changed. */
const onlyViewed = (workspace: Workspace): Workspace => ({
  ...workspace,
  additional: [],
  readable: [...(workspace.readable ?? []), ...workspace.additional],
});

/**
 * Refuses mode `undoable` where it cannot keep its promise. It needs the journal, views of the workspace, and a fence
 * around the commands in them.
 *
 * @throws HaftError `validation_failed` with the missing part and its cure.
 */
export async function requireHold(mode: Mode, { workspace, journaling }: HoldOptions): Promise<void> {
  if (mode !== "undoable") return;
  const { root, cwd, home, additional } = workspace();
  const why = journaling
    ? (journaling.journal.whyNoView() ?? (await whyNoFence([root, cwd, ...additional], home)))
    : "Undo is not available: the journal is off.";
  if (why === undefined) return;
  throw new HaftError({
    code: "validation_failed",
    message: `Mode undoable needs views or copies of the workspace, which are not available here: ${why}`,
    hint: "Use the mode default or acceptEdits, which ask instead. `haft doctor` shows what this machine supports.",
  });
}

async function whyNoFence(workspaces: readonly string[], home: string): Promise<string | undefined> {
  const { createTierProbe } = await import("@haft/sandbox");
  const { bwrap, tiers } = await createTierProbe({ workspaces, home })();
  if (bwrap !== undefined) return undefined;
  return tiers.find(({ name }) => name === "bwrap")?.reason ?? "No sandbox works here.";
}
