import { homedir } from "node:os";
import { z } from "zod";
import { createHaft } from "../../../app/create-haft.ts";
import { explanationAnswer } from "../../../app/explain/explanation-answer.ts";
import { lintFolder } from "../../../app/settings/lint-folder.ts";
import { readSettingsFiles } from "../../../app/settings/settings-files.ts";
import { projectRoot, real } from "../../../app/workspace.ts";
import type { ServerParts } from "../../live/parts.ts";
import { type Route, route } from "../../route/route.ts";
import { json, mode, rules } from "../shapes.ts";

/** Why a call would be allowed, asked or denied; and what is wrong with the rules. */
export const policyRoutes = (parts: ServerParts): Route[] => [
  route({
    method: "post",
    path: "/api/policy/explain",
    summary: "The decision about a hypothetical call, with its trace. Runs nothing",
    body: rules.extend({
      tool: z.string().min(1),
      input: json.default({}),
      /** Decide in this open session, with its mode and grants. Absent: in a new one. */
      session: z.string().optional(),
      mode: mode.optional(),
    }),
    answer: json,
    async run({ body: { tool, input, session, mode: wanted, ...texts } }) {
      const open = session === undefined ? undefined : await parts.rooms.enter(session);
      if (open) return explanationIn(open.agent.haft, tool, input);
      const { model: _, openModel: __, ...base } = parts.base;
      const given = Object.fromEntries(Object.entries(texts).filter(([, list]) => list !== undefined));
      await using haft = await createHaft({
        ...base,
        ...{ cwd: parts.rooms.cwd, lookOnly: true, mcpServers: false, onNotice: () => {} },
        rules: { ...base.rules, ...given },
        ...(wanted === undefined ? {} : { mode: wanted }),
      });
      return explanationIn(haft, tool, input);
    },
  }),
  route({
    method: "get",
    path: "/api/policy/lint",
    summary: "Remarks on the settings files of the folder",
    answer: z.object({ files: z.array(z.string()), remarks: z.array(json) }),
    async run() {
      const root = projectRoot(parts.rooms.cwd);
      const home = real(parts.base.home ?? homedir());
      const layers = readSettingsFiles({ root, home, withoutUser: parts.base.withoutUserSettings === true });
      return { files: layers.map(({ file }) => file), remarks: await lintFolder(layers, { root, home }) };
    },
  }),
];

const explanationIn = async (haft: Awaited<ReturnType<typeof createHaft>>, tool: string, input: unknown) =>
  explanationAnswer(await haft.explain(tool, input));
