import type { NamedAsker } from "@haft/core/approval";
import type { Hook } from "@haft/core/hook";
import type { HooksSettings, PolicyTool, SettingsProblem, Workspace } from "@haft/core/policy";
import type { AgentRef, SessionRef } from "@haft/core/tool";
import { createCallHook } from "./call-hook.ts";
import { callbackEntries, type HookCallbacks } from "./callbacks.ts";
import { createDispatch, type HookNotice } from "./dispatch.ts";
import { loadHooks } from "./load.ts";
import { hooksFirst, permissionAsker } from "./permission.ts";
import { createRunHooks, type RunHooks } from "./session-event.ts";

/** The hooks of the settings, and the session data that they receive. */
export interface SettingsHooksOptions {
  /** The merged `hooks` of the settings, without those of untrusted folders. */
  readonly settings?: HooksSettings | undefined;
  /** Functions of the host, which run beside the hooks of the settings. */
  readonly callbacks?: HookCallbacks | undefined;
  readonly workspace: Workspace;
  readonly session: SessionRef;
  /** The agent whose hooks they are. Default: the main one. */
  readonly agent?: AgentRef | undefined;
  readonly cwd: () => string;
  /** The folder in which hooks run. Default: the one of the event. */
  readonly folder?: string | undefined;
  /** The permission mode in force. */
  readonly mode: () => string;
  /** The session's record. */
  readonly transcript?: string | undefined;
  /** The environment of hooks. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The tool behind a name, as rules know it; `undefined` when there is none. */
  readonly identify?: (tool: string) => PolicyTool | undefined;
  /** Receives the hooks' messages for the person, and every failure of a hook. */
  readonly onNotice: (notice: HookNotice) => void;
}

/** The hooks of the settings, in the forms that the machine takes. */
export interface SettingsHooks {
  /** For the machine. Empty if no settings name a hook around calls. */
  readonly hooks: readonly Hook[];
  /** Settings that will not work as written. */
  readonly problems: readonly SettingsProblem[];
  /** Everyone to ask for an approval, with PermissionRequest hooks in front of them. */
  askers(people: readonly NamedAsker[]): readonly NamedAsker[];
  /** For the agent loop: events of the session. */
  readonly runHooks: RunHooks;
  /** Ends hooks that still run in the background. */
  close(): void;
}

const AROUND_CALLS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"] as const;

/** Reads the hooks of the settings. Starts none; a hook starts when its event happens. */
export function createSettingsHooks(options: SettingsHooksOptions): SettingsHooks {
  const { settings = {}, workspace, session, agent = { id: "main" }, cwd, mode, transcript = "", onNotice } = options;
  const { entries: written, problems } = loadHooks(settings, workspace);
  const entries = new Map(written);
  for (const [event, own] of options.callbacks ? callbackEntries(options.callbacks) : [])
    entries.set(event, [...(entries.get(event) ?? []), ...own]);
  const closing = new AbortController();
  const env = {
    ...definedOnly(options.env ?? process.env),
    // Both names: scripts that were written for the documented one run unchanged.
    CLAUDE_PROJECT_DIR: workspace.root,
    HAFT_PROJECT_DIR: workspace.root,
  };
  const dispatch = createDispatch({ entries, env, onNotice, closed: closing.signal, folder: options.folder });
  const scene = () => ({ session, cwd: cwd(), mode: mode() });
  const identify = (tool: string): PolicyTool => options.identify?.(tool) ?? { name: tool, origin: "builtin" };
  const around = AROUND_CALLS.some((event) => entries.has(event));
  return {
    problems,
    hooks: around ? [createCallHook({ dispatch, onFailure: settings.onFailure ?? "ask", transcript })] : [],
    askers: (people) =>
      entries.has("PermissionRequest")
        ? hooksFirst(permissionAsker({ dispatch, scene, transcript, identify, onNotice }), people)
        : people,
    runHooks: createRunHooks(dispatch, () => ({ ...scene(), agent }), transcript),
    close: () => closing.abort(),
  };
}

const definedOnly = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
