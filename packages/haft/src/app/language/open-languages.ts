import type { Policy } from "@haft/core/policy";
import type { SessionLanguages } from "@haft/service/language";
import { findServers, serverPlanFor } from "@haft/service/language-servers";
import type { LanguageSetup } from "./start-languages.ts";

/** The language servers of a session, if there are any. Nothing starts before the first question. */
export function openLanguages(setup: LanguageSetup, policy: () => Policy): SessionLanguages | undefined {
  const { options, settings, trusted } = setup;
  if (options.lookOnly || options.host) return undefined;
  const { root } = setup.workspace;
  const servers = findServers({
    settings: settings.lsp ?? {},
    root,
    trusted,
    path: (options.env ?? process.env).PATH ?? "",
  });
  if (servers.length === 0) return undefined;
  let opened: Promise<SessionLanguages> | undefined;
  let started: SessionLanguages | undefined;
  const start = async (): Promise<SessionLanguages> => {
    started = (await import("./start-languages.ts")).startLanguages(servers, setup, policy);
    return started;
  };
  return {
    serverFor(path) {
      const plan = serverPlanFor(servers, path);
      if (started || !plan) return started?.serverFor(path);
      const { name, argv, needsConsent } = plan;
      return { name, argv, cwd: root, isRunning: false, needsConsent };
    },
    list: () => servers.map(({ name, extensions }) => ({ name, extensions })),
    async ask(request, around) {
      opened ??= start();
      return (await opened).ask(request, around);
    },
    // Starts nothing.
    afterEdit: async (document, bounds) => started?.afterEdit(document, bounds),
    close: async () => (await opened)?.close(),
  };
}
