import type { Mode, Settings, Workspace } from "@haft/core/policy";
import { HaftError, type Processes } from "@haft/core/tool";
import { createTierProbe, type StateFolder } from "@haft/tools";
import { openSandbox } from "../sandbox.ts";
import type { Journaling } from "./open-journal.ts";

export interface HoldOptions {
  readonly settings: Settings;
  readonly workspace: () => Workspace;
  readonly state: StateFolder | undefined;
  /** Variables that commands find besides. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly journaling: Journaling | undefined;
}

/** Programs of which those on hold run confined, whatever the settings say of the others. */
export type HoldProcesses = Processes & { close(): Promise<void> };

/**
 * Sends commands on hold (and dry runs) into the fence: no network, private files hidden, the workspace as a view. Where
 * there is no fence they are refused; the others run as ever. The fence is made with the first of them.
 */
export function holdProcesses(plain: Processes, options: HoldOptions): HoldProcesses {
  let fence: Promise<Processes & { close(): Promise<void> }> | undefined;
  return {
    ...plain,
    fencesHeld: true,
    async run(request) {
      if (!request.bound?.hold) return plain.run(request);
      fence ??= openFence(options);
      return (await fence).run(request);
    },
    async close() {
      await (await fence?.catch(() => undefined))?.close();
    },
  };
}

async function openFence({ settings, workspace, state, journaling, environment = {} }: HoldOptions) {
  const { network: _, ...sandbox } = settings.sandbox ?? {};
  const { processes } = await openSandbox({
    settings: { ...settings, bash: { ...settings.bash, enableSandbox: true }, sandbox: { ...sandbox, tier: "bwrap" } },
    workspace: () => onlyViewed(workspace()),
    state,
    environment,
    ...(journaling ? { around: journaling.around } : {}),
  });
  if (processes) return processes;
  throw new HaftError({ code: "sandbox_unavailable", message: "There is no sandbox for commands on hold." });
}

/** A view shows the workspace alone: what lies in added folders may be read, and stays as it is. */
const onlyViewed = (workspace: Workspace): Workspace => ({
  ...workspace,
  additional: [],
  readable: [...(workspace.readable ?? []), ...workspace.additional],
});

/**
 * Refuses mode `undoable` where it cannot hold what it promises: it needs the journal, views of the workspace, and a fence
 * around the commands in them.
 *
 * @throws HaftError `validation_failed` with what is missing and its cure.
 */
export async function requireHold(mode: Mode, { workspace, journaling }: HoldOptions): Promise<void> {
  if (mode !== "undoable") return;
  const { root, cwd, home, additional } = workspace();
  const why = journaling
    ? (journaling.journal.whyNoView() ?? (await whyNoFence([root, cwd, ...additional], home)))
    : "Nothing is kept of what calls change: the journal is off.";
  if (why === undefined) return;
  throw new HaftError({
    code: "validation_failed",
    message: `Mode undoable needs the view tier of the sandbox, which is not available here: ${why}`,
    hint: "Use the mode default or acceptEdits, which ask instead. `haft doctor` tells what this machine offers.",
  });
}

async function whyNoFence(workspaces: readonly string[], home: string): Promise<string | undefined> {
  const { bwrap, tiers } = await createTierProbe({ workspaces, home })();
  if (bwrap !== undefined) return undefined;
  return tiers.find(({ name }) => name === "bwrap")?.reason ?? "No sandbox works here.";
}
