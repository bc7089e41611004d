import type { Policy } from "@haft/core/policy";
import type { Registry } from "@haft/core/registry";
import { policyToolOf } from "@haft/core/registry";
import { createSettingsHooks, type HookCallbacks, type SettingsHooks } from "@haft/plugins/hook";
import { hookNotice, type NoticeListener } from "../notice.ts";
import type { Setup } from "./setup.ts";

/** The hooks of the settings, for this session. Their messages for the person become notices. */
export const sessionHooks = (
  { settings, workspace, session, cwd }: Setup,
  registry: Registry,
  policy: () => Policy,
  onNotice: NoticeListener,
  callbacks?: HookCallbacks,
): SettingsHooks =>
  createSettingsHooks({
    settings: settings.hooks,
    callbacks,
    workspace,
    session: { id: session.id },
    cwd: () => cwd,
    mode: () => policy().mode,
    transcript: session.record,
    identify(name) {
      const entry = registry.get(name);
      return entry && policyToolOf(entry);
    },
    onNotice: (notice) => onNotice(hookNotice(notice)),
  });
