import type { Grant } from "../../../policy/index.ts";
import type { Files, Languages } from "../../../tool/index.ts";
import { bounds } from "../../settle-effects.ts";
import { undeclared } from "./undeclared.ts";

/** Language servers as one call gets them: it asks about files that it may read, and starts a server that was agreed to. */
export function boundLanguages(raw: Languages, tool: string, { effects }: Grant, locate: Files["locate"]): Languages {
  return {
    serverFor: (path) => raw.serverFor(path),
    list: () => raw.list(),
    async ask(request, around) {
      const { path } = await locate(request.path);
      if (!bounds(effects, "read", path)) undeclared(tool, `read ${path}`);
      const server = raw.serverFor(path);
      const command = server?.argv.join("\0");
      const mayStart =
        !server?.needsConsent ||
        server.isRunning ||
        effects.some((effect) => effect.do === "run" && effect.argv.join("\0") === command);
      if (!mayStart) undeclared(tool, `start the language server ${server.name}`);
      return raw.ask({ ...request, path }, around);
    },
  };
}
