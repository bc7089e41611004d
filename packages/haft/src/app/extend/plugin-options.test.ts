// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of plugin formats
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsText } from "@haft/core/tool";
import { pluginStore } from "@haft/plugins";
import { expect, it } from "vitest";
import { WORDS } from "../../../test/support/language-place.ts";
import { pluginPlaces, put } from "../../../test/support/plugin-places.ts";

const placeOf = pluginPlaces();

const told = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../test/support/${name}`, import.meta.url)), "utf8");

const KIT = {
  ".claude-plugin/plugin.json": JSON.stringify({
    name: "kit",
    userConfig: {
      token: { type: "string", title: "API token", description: "Of your account", sensitive: true, required: true },
      place: { type: "string", title: "Place", default: "here" },
      tags: { type: "string", title: "Tags", multiple: true },
      level: { type: "number", title: "Level", min: 1, max: 3 },
    },
    lspServers: {
      words: {
        command: process.execPath,
        args: ["${CLAUDE_PLUGIN_ROOT}/language-server.mjs", "${user_config.place}"],
        extensionToLanguage: { ".words": "words" },
      },
    },
  }),
  ".mcp.json": JSON.stringify({
    mcpServers: {
      db: {
        command: process.execPath,
        args: ["${CLAUDE_PLUGIN_ROOT}/server.mjs", "${user_config.tags}", "at=${user_config.place}"],
        env: { TOKEN: "${user_config.token}" },
      },
    },
  }),
  "hooks/hooks.json": JSON.stringify({
    hooks: {
      UserPromptSubmit: [
        { hooks: [{ type: "command", command: 'echo "${user_config.place}/$CLAUDE_PLUGIN_OPTION_TOKEN"' }] },
      ],
    },
  }),
  "skills/tidy/SKILL.md":
    "---\nname: tidy\ndescription: Tidies.\n---\nTidy ${user_config.place} with ${user_config.token}.",
  "server.mjs": told("told-server.mjs"),
  "language-server.mjs": told("language-server.mjs"),
};

it("R04 a plugin's options reach its servers and hooks, and no secret reaches a model or the report", async () => {
  const place = placeOf(KIT);
  const staged = await place.stage();
  expect(staged.declared.filter(({ kind }) => kind === "option")).toMatchObject([
    { text: "token: API token", effects: ["is a secret passed to its programs"] },
    { text: "place: Place", effects: [] },
    { text: "tags: Tags" },
    { text: "level: Level" },
  ]);
  staged.install({ tools: [] });
  pluginStore(place.state.root).keepAnswers("kit", { token: "s3cret'\"$(id)", tags: ["a", "b c"] });
  put(place.cwd, { "a.words": WORDS });
  const haft = await place.open();
  expect((await haft.runHooks("UserPromptSubmit", { prompt: "x" })).context).toEqual(["here/s3cret'\"$(id)"]);
  const { content } = await haft.call("mcp__plugin_kit_db__tell", {});
  expect(JSON.parse(contentsText(content))).toEqual({
    ...{ args: ["a", "b c", "at=here"], token: "s3cret'\"$(id)", place: "here" },
  });
  expect(await haft.skills.expand("kit:tidy", "")).toContain("Tidy here with ${user_config.token}.");
  const hover = await haft.call("LSP", { operation: "hover", filePath: "a.words", line: 2, character: 6 });
  expect(contentsText(hover.content)).toBe("about one");
  const answers = join(place.state.root, "plugin-answers.json");
  expect(statSync(answers).mode & 0o777).toBe(0o600);
  expect(pluginStore(place.state.root).remove("kit")).toBe(true);
  expect(readFileSync(answers, "utf8")).not.toContain("s3cret");
});

it("R04 a plugin whose required option is not set keeps its servers back, and says how to set it", async () => {
  const place = placeOf(KIT);
  (await place.stage()).install({ tools: [] });
  const haft = await place.open();
  expect(place.notices()).toContain("The servers of the plugin kit are disabled: token is not set.");
  expect((await haft.call("mcp__plugin_kit_db__tell", {})).error?.code).toBe("unknown_tool");
  expect(contentsText((await haft.call("Skill", { skill: "kit:tidy" })).content)).toContain("Tidy here");
});
