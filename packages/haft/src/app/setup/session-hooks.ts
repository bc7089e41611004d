import type { Policy } from "@haft/core/policy";
import type { Registry } from "@haft/core/registry";
import { policyToolOf } from "@haft/core/registry";
import type { AgentRef } from "@haft/core/tool";
import { createSettingsHooks, type HookCallbacks, type SettingsHooks } from "@haft/plugins/hook";
import { hookNotice, type NoticeListener } from "../notice.ts";
import type { Setup } from "./setup.ts";

/** The hooks of the settings, for this session. Their messages for the person become notices. */
export const sessionHooks = (
  { settings, workspace, session, cwd, options }: Pick<Setup, "settings" | "workspace" | "session" | "cwd" | "options">,
  registry: Registry,
  policy: () => Policy,
  onNotice: NoticeListener,
  callbacks?: HookCallbacks,
  agent?: AgentRef,
): SettingsHooks =>
  createSettingsHooks({
    settings: settings.hooks,
    callbacks,
    agent,
    workspace,
    session: { id: session.id },
    cwd: () => cwd,
    // Hooks run on this machine, which does not have the folder.
    ...(options.host ? { folder: process.cwd() } : {}),
    mode: () => policy().mode,
    transcript: session.record,
    identify(name) {
      const entry = registry.get(name);
      return entry && policyToolOf(entry);
    },
    onNotice: (notice) => onNotice(hookNotice(notice)),
  });
