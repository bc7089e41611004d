import type { Broker } from "@haft/core/approval";
import type { Registry } from "@haft/core/registry";
import type { RunHooks } from "@haft/plugins/hook";
import type { NoticeListener } from "../notice.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import type { Setup } from "../setup/setup.ts";
import { openDiscovery } from "./open-discovery.ts";
import { openPlugins } from "./open-plugins.ts";
import { type OpenSkills, openSkills } from "./open-skills.ts";
import { openToolFiles } from "./open-tool-files.ts";

/** The extensions of a session: skills, tool files, plugins and discovered tools. */
export interface Extensions {
  readonly skills: Omit<OpenSkills, "port"> & { readonly port: OpenSkills["port"] | undefined };
  /** Reads again what has changed on disk. The first time it loads all tools. */
  refresh(): Promise<void>;
  /** Runs the program that lists tools again. */
  discover(): Promise<void>;
  close(): Promise<void>;
}

export interface ExtensionParts {
  readonly setup: Setup;
  readonly live: LivePolicy;
  readonly registry: Registry;
  readonly broker: Broker;
  readonly runHooks: RunHooks;
  readonly onNotice: NoticeListener;
}

export function openExtensions({ setup, live, registry, broker, runHooks, onNotice }: ExtensionParts): Extensions {
  const onChange = (): void => void runHooks("ConfigChange", { source: "skills" });
  const skills = openSkills(setup, live, registry, onNotice, onChange);
  const files = openToolFiles(setup, registry, onNotice);
  const plugins = openPlugins({ setup, registry, policy: live.now, onNotice });
  const discovery = openDiscovery({ setup, registry, broker, onNotice });
  return {
    skills,
    async refresh() {
      skills.refresh();
      await Promise.all([files.refresh(), discovery.ready()]);
    },
    discover: discovery.again,
    async close() {
      files.close();
      discovery.close();
      await plugins.close();
    },
  };
}
