// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of manifests
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsText, type Result } from "@haft/core/tool";
import { pluginStore } from "@haft/plugins";
import { findBwrap } from "@haft/sandbox/facts";
import { stateFolder } from "@haft/service";
import { expect, it } from "vitest";
import { zipOfFiles } from "../../../../../test/support/zip.ts";
import { pluginPlaces, put } from "../../../test/support/plugin-places.ts";
import { stagePlugin } from "./stage-plugin.ts";

const placeOf = pluginPlaces();
const hasBwrap = (await findBwrap([])) !== undefined;
const told = ({ content }: Result) => JSON.parse(contentsText(content));
const SERVER = readFileSync(fileURLToPath(new URL("../../../test/support/told-server.mjs", import.meta.url)), "utf8");

const manifest = {
  ...{ manifest_version: "0.3", name: "told", version: "1.0.0", description: "Tells." },
  server: {
    type: "node",
    entry_point: "server/index.mjs",
    mcp_config: {
      command: "node",
      args: ["${__dirname}/server/index.mjs", "${user_config.folders}"],
      env: { TOKEN: "${user_config.token}" },
      platform_overrides: { win32: { command: "node.exe" } },
    },
  },
  user_config: {
    folders: { type: "directory", title: "Folders", multiple: true, default: ["${HOME}/Desktop", "${DOCUMENTS}"] },
    token: { type: "string", title: "Token", sensitive: true, required: true },
  },
};

/** A bundle that is installed where it is by default: in the state folder below the home. */
async function installed(more: object = {}) {
  const place = placeOf({});
  const home = join(place.base, "home");
  const state = stateFolder(home, {});
  const file = join(place.base, "told.mcpb");
  writeFileSync(file, zipOfFiles({ "manifest.json": JSON.stringify(manifest), "server/index.mjs": SERVER }));
  const how = { cwd: place.base, home, state, env: process.env, signal: AbortSignal.timeout(60_000) };
  const staged = await stagePlugin(file, how);
  const plugin = staged.install({ tools: [], ...more });
  pluginStore(state.root).keepAnswers("told", { token: "s3cret" });
  put(home, { ".ssh/id_test": "private", "plain.txt": "plain" });
  put(place.cwd, { "own.txt": "own" });
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const open = () => place.open({ stateDir: undefined, home, env } as never);
  return { ...place, home, state, staged, plugin, open };
}

it("Q01 a bundle's server starts with its options, and is left out once its files have changed", {
  tags: ["smoke"],
}, async () => {
  const place = await installed({ unconfined: true });
  expect(place.staged.declared.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "server told: node ./server/index.mjs ${user_config.folders}",
    "option folders: Folders",
    "option token: Token",
  ]);
  const haft = await place.open();
  expect(told(await haft.call("mcp__told__tell", { file: join(place.home, "plain.txt") }))).toEqual({
    args: [join(place.home, "Desktop"), join(place.home, "Documents")],
    ...{ token: "s3cret", place: null, file: "plain" },
  });
  appendFileSync(join(place.plugin.folder, "server/index.mjs"), "\n// other");
  expect((await (await place.open()).call("mcp__told__tell", {})).error?.code).toBe("unknown_tool");
  expect(place.notices()).toContain("The files of the plugin told have changed");
});

it.skipIf(!hasBwrap)(
  "Q01 a bundle's server runs in the sandbox: no network, nothing private, its own files",
  async () => {
    const place = await installed();
    const web = createServer((_, response) => void response.end("x"));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    try {
      const haft = await place.open();
      const tell = async (file: string) => told(await haft.call("mcp__told__tell", { file, port }));
      expect(await tell(join(place.cwd, "own.txt"))).toMatchObject({ file: "own", token: "s3cret" });
      const secret = await tell(join(place.home, ".ssh/id_test"));
      expect(secret.file).not.toBe("private");
      expect(secret.port).not.toBe("reached");
      expect((await tell(join(place.state.root, "plugin-answers.json"))).file).not.toContain("s3cret");
    } finally {
      web.close();
    }
  },
);

it("Q01 a bundle for another platform, or with a program outside of it, is refused", async () => {
  const place = placeOf({});
  const stage = (more: object) => {
    const folder = join(place.base, "odd");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, ...more }));
    return place.stage(folder);
  };
  await expect(stage({ compatibility: { platforms: ["plan9"] } })).rejects.toThrow("it is for plan9 only");
  const server = { type: "binary", mcp_config: { command: "../../bin/sh" } };
  await expect(stage({ server })).rejects.toThrow("its program sh is not in it");
  await expect(stage({ server: { type: "node", entry_point: "../x.js" } })).rejects.toThrow("is not in it");
});
