import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Settings, SettingsProblem, Workspace } from "@haft/core/policy";
import { HaftError, type Processes } from "@haft/core/tool";
import { confinedProcesses, createTierProbe, type StateFolder } from "@haft/tools";

export interface SandboxOptions {
  readonly settings: Settings;
  readonly workspace: () => Workspace;
  /** Where protected files go that a command made. Without a state folder there is no sandbox. */
  readonly state: StateFolder | undefined;
}

/** Programs in a sandbox, and what a person should know about it. */
export interface Sandbox {
  /** Absent: programs run as they are. */
  readonly processes?: Processes & { close(): Promise<void> };
  readonly problems: readonly SettingsProblem[];
}

/**
 * The sandbox that the settings ask for. `bash.enableSandbox` and the tier `bwrap` mean it: where it does not work,
 * commands are refused. The tier `auto` takes it where it works, and says so where it does not.
 *
 * @throws HaftError `validation_failed` for a tier that cannot be had here at all.
 */
export async function openSandbox({ settings, workspace, state }: SandboxOptions): Promise<Sandbox> {
  const tier = settings.bash?.enableSandbox ? "bwrap" : (settings.sandbox?.tier ?? "none");
  if (tier === "none") return { problems: [] };
  if (tier === "srt") throw unusable("The tier srt is not built.", "Use the tier bwrap, or auto.");
  if (!state) throw unusable("A sandbox needs a state folder.", "Leave stateDir at its default, or name a folder.");
  const { root, cwd, home, additional } = workspace();
  const probe = createTierProbe({ workspaces: [root, cwd, ...additional], home });
  if (tier === "auto") {
    const report = await probe();
    if (report.bwrap === undefined) return { problems: [unconfined(report.tier)] };
  }
  const quarantine = join(state.workspace(cwd), "quarantine");
  mkdirSync(quarantine, { recursive: true, mode: 0o700 });
  const processes = confinedProcesses({
    probe,
    workspace,
    quarantine,
    state: state.root,
    network: settings.sandbox?.network ? "host" : "none",
  });
  return { processes, problems: [] };
}

/** Whether the settings ask for a sandbox: views of the workspace are then made around it. */
export const isSandboxed = ({ bash, sandbox }: Settings): boolean =>
  bash?.enableSandbox === true || (sandbox?.tier ?? "none") !== "none";

const unusable = (message: string, hint: string): HaftError =>
  new HaftError({ code: "validation_failed", message, hint });

const unconfined = (tier: string): SettingsProblem => ({
  severity: "notice",
  file: "settings",
  path: ["sandbox", "tier"],
  message: `No sandbox works on this machine (tier ${tier}): commands run unconfined.`,
  cure: "Install bubblewrap, or set bash.enableSandbox to refuse commands instead.",
});
