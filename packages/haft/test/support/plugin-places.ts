import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateFolder } from "@haft/service";
import { stagePlugin } from "../../src/app/extend/stage-plugin.ts";
import type { HaftOptions } from "../../src/app/haft.ts";
import type { Notice } from "../../src/app/notice.ts";
import { sessionPlaces } from "./session-places.ts";

/** Places with a plugin each, for the tests of one file. */
export function pluginPlaces() {
  const places = sessionPlaces("plugins");
  return (files: Record<string, string>) => placeOf(places, files);
}

/** Writes files below a folder. */
export function put(base: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
}

/** A place with a plugin of these files, and ways to stage it and to open a session. */
function placeOf(places: ReturnType<typeof sessionPlaces>, files: Record<string, string>) {
  const place = places.make("plugin");
  const state = stateFolder(place.base, { HAFT_STATE_DIR: join(place.base, "state") });
  put(join(place.base, "plugin"), files);
  const notices: Notice[] = [];
  const asked: string[] = [];
  return {
    ...{ ...place, state, asked, source: join(place.base, "plugin") },
    notices: () => notices.map(({ message }) => message).join("\n"),
    stage: (source = join(place.base, "plugin")) =>
      stagePlugin(source, {
        cwd: place.base,
        home: join(place.base, "home"),
        state,
        env: process.env,
        signal: AbortSignal.timeout(60_000),
      }),
    open: (more: HaftOptions = {}) =>
      places.open({
        ...{ ...place.options, settings: {}, onNotice: (notice: Notice) => void notices.push(notice) },
        ask: async ({ tool }) => {
          asked.push(tool);
          return { behavior: "allow" };
        },
        ...more,
      }),
  };
}
