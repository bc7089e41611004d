import { homedir } from "node:os";
import { hasErrors } from "@haft/core/policy";
import { mergeSettings, parseSettings } from "@haft/core/policy/settings";
import { fail } from "@haft/core/tool";
import { stateFolder, trustStore } from "@haft/service";
import { z } from "zod";
import { documentOf, put, writeSettings } from "../../../app/session/settings-store.ts";
import { readSettingsFiles } from "../../../app/settings/settings-files.ts";
import { userSettingsFile } from "../../../app/settings/settings-places.ts";
import { settingsProblemsText } from "../../../app/settings/settings-problems.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import type { ServerParts } from "../../live/parts.ts";
import { type Route, route } from "../../route/route.ts";
import { json } from "../shapes.ts";

/** Settings that the page may change, by their first keys. Rules, servers, hooks and the sandbox belong in an editor. */
const OPEN = ["enableToolCalls", "tools", "bash", "toolAgent", "model", "defaultMode", "budgets"] as const;

/** The settings in force, and changes of the user's own file. */
export const settingsRoutes = (parts: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/settings",
    summary: "The settings in force, their files and problems",
    answer: z.object({ settings: json, files: z.array(json), problems: z.array(json), open: z.array(z.string()) }),
    run: () => settingsOf(parts),
  }),
  route({
    method: "put",
    path: "/api/settings",
    summary: "Change values of the user's settings file; they count from the next request on",
    body: z.object({
      changes: z.array(z.object({ keys: z.array(z.string().min(1)).min(1).max(4), value: json.optional() })).min(1),
    }),
    answer: json,
    run({ body: { changes } }) {
      const shut = changes.find(({ keys }) => !(OPEN as readonly string[]).includes(keys[0]!));
      if (shut)
        fail("invalid_input", `${shut.keys.join(".")} cannot be changed here.`, "Change it in the settings file.");
      if (parts.base.withoutUserSettings || parts.base.settingsFiles === false || parts.base.settings === false)
        fail("tool_unavailable", "This server reads no user settings.", "Start haft serve without --no-user-settings.");
      const file = userFile(parts);
      const next = changes.reduce((tree, { keys, value }) => put(tree, keys, value ?? undefined), documentOf(file));
      const { problems } = parseSettings(next, { origin: "user", file });
      if (hasErrors(problems)) fail("validation_failed", settingsProblemsText(problems));
      writeSettings(file, next);
      const answer = settingsOf(parts);
      for (const { agent } of parts.rooms.open()) agent.haft.setTools(answer.settings);
      return answer;
    },
  }),
];

const homeOf = ({ base }: ServerParts): string => real(base.home ?? homedir());
const userFile = (parts: ServerParts): string => userSettingsFile(homeOf(parts), parts.base.env?.XDG_CONFIG_HOME);

function settingsOf(parts: ServerParts) {
  const { base, rooms } = parts;
  const home = homeOf(parts);
  const layers =
    base.settings === false
      ? []
      : readSettingsFiles({
          root: projectRoot(rooms.cwd),
          home,
          withoutUser: base.withoutUserSettings === true,
          ...(typeof base.settings === "string" ? { extra: base.settings } : {}),
        });
  const trusted = base.trusted ?? trustStore(rooms.state ?? stateFolder(home)).isTrusted(rooms.cwd);
  const { settings, problems } = mergeSettings(layers, { trusted });
  const files = layers.map(({ file, origin }) => ({ file, origin }));
  return { settings: shown(settings), files, problems, open: OPEN, userFile: userFile(parts) };
}

/** Values of environment variables and headers may be secrets. */
function shown<T>(value: T, key = ""): T {
  if (Array.isArray(value)) return value.map((one) => shown(one)) as T;
  if (typeof value !== "object" || value === null) return value;
  const hides = /^(env|headers|oauth)$/.test(key);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, hides && typeof inner === "string" ? "…" : shown(inner, name)]),
  ) as T;
}
