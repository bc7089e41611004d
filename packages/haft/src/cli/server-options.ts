import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { stateFolder } from "@haft/service";
import { real } from "../app/workspace.ts";
import type { AgentSessionOptions } from "../session/index.ts";
import { queueOf } from "./command/queue/queue-options.ts";
import { modeOf } from "./mode.ts";
import { commandWays } from "./open-haft.ts";
import type { CommonOptions } from "./options.ts";
import { packageVersion } from "./version.ts";

/** The options of the sessions that a server opens. */
export function sessionBase(common: CommonOptions, model: string | undefined): AgentSessionOptions {
  const { allow, ask, deny, settings, withoutUserSettings, trust } = common;
  const mode = modeOf(common.mode);
  const queue = queueOf(common);
  return {
    rules: { allow, ask, deny },
    ...(mode ? { mode } : {}),
    ...(settings === undefined ? {} : { settings }),
    ...(withoutUserSettings ? { withoutUserSettings } : {}),
    ...(trust ? { trusted: true } : {}),
    ...(model === undefined ? {} : { model }),
    ...(queue ? { queue } : {}),
    journal: commandWays,
    // Each session shows its own notices.
    onNotice: () => {},
  };
}

/** The built console lies beside the bundle; from the sources, in the package's dist. */
export function builtConsole(): string | undefined {
  const places = ["./console/", "../../dist/console/"].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(`${place}index.html`));
}

/** Options of a server in the process of another face. */
export async function canvasServerOptions(common: CommonOptions, model: string | undefined, cwd: string) {
  const consoleFolder = builtConsole();
  return {
    ...{ version: await packageVersion(), base: sessionBase(common, model), cwd, state: stateFolder(real(homedir())) },
    ...(consoleFolder === undefined ? {} : { consoleFolder }),
  };
}
