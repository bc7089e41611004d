import { randomUUID } from "node:crypto";
import type { Policy, Settings } from "@haft/core/policy";
import { HaftError, toToolError } from "@haft/core/tool";
import { createWatchdog, type Watchdog } from "@haft/host/process";
import type { StateFolder } from "@haft/service";
import { createLanguages, type ServerPlan, type ServerProgram, type SessionLanguages } from "@haft/service/language";
import type { HaftOptions } from "../haft.ts";
import { confineServers } from "../mcp/confine.ts";
import { isSandboxed } from "../sandbox.ts";

/** The parts of a session's setup that its language servers depend on. */
export interface LanguageSetup {
  readonly options: HaftOptions;
  readonly settings: Settings;
  readonly state: StateFolder | undefined;
  readonly trusted: boolean;
  readonly workspace: { readonly root: string };
}

/** Language servers that start at their first question. */
export function startLanguages(
  servers: readonly ServerPlan[],
  { options, settings, state, workspace: { root } }: LanguageSetup,
  policy: () => Policy,
): SessionLanguages {
  const env = options.env ?? process.env;
  const sandbox = confineServers(state, policy);
  let watchdog: Watchdog | undefined;
  const isConfined = ({ settings: own }: ServerPlan): boolean => own.sandbox ?? isSandboxed(settings);

  async function start(plan: ServerPlan): Promise<ServerProgram> {
    const { name, argv, settings: own } = plan;
    const [command = "", ...args] = argv;
    const { createLogTail, SERVER_MARK, startServer } = await import("@haft/mcp");
    watchdog ??= createWatchdog(`${SERVER_MARK}=${randomUUID()}.`);
    const log = createLogTail();
    if (isConfined(plan) && !sandbox)
      throw new HaftError({
        code: "sandbox_unavailable",
        message: `The language server ${name} was not started: no sandbox is available for it.`,
        hint: `Allow a state folder, or set lsp.${name}.sandbox to false.`,
      });
    const full = {
      ...(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as Record<string, string>),
      ...own.env,
    };
    const confine = isConfined(plan) ? sandbox?.confine : undefined;
    const server = await startServer(
      {
        ...{ command, args, env: full, cwd: root },
        ...(confine
          ? { confine: (plain, vars) => confine({ name, command, args, env: vars, origin: "user" }, plain) }
          : {}),
      },
      watchdog,
    ).catch((thrown) => {
      const { message, hint = "" } = toToolError(thrown);
      throw new HaftError({ code: "tool_unavailable", message: `The language server ${name}: ${message}`, hint });
    });
    const { stdin, stdout, stderr } = server.child;
    stderr?.on("data", (chunk: Buffer) => log.add(chunk.toString("utf8")));
    stderr?.on("error", () => {});
    return { input: stdin!, output: stdout!, ended: server.ended, errors: () => log.text(), end: () => server.end() };
  }

  const languages = createLanguages({ servers, root, start });
  return {
    serverFor: (path) => languages.serverFor(path),
    list: () => languages.list(),
    ask: (request, around) => languages.ask(request, around),
    afterEdit: (document, bounds) => languages.afterEdit(document, bounds),
    async close() {
      await languages.close();
      watchdog?.close();
      sandbox?.end();
    },
  };
}
