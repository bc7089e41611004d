import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { effects, type ToolLike } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

type Settings = Exclude<HaftOptions["settings"], false | string | undefined>;

/** The same settings given by the program and written in the user's file: both must count. */
const ways: Readonly<Record<string, (settings: Settings) => HaftOptions>> = {
  "given to createHaft": (settings) => ({ settings, settingsFiles: false, cwd: folder() }),
  "in the user's file": (settings) => {
    const home = folder();
    mkdirSync(join(home, ".config/haft"), { recursive: true });
    writeFileSync(join(home, ".config/haft/settings.json"), JSON.stringify(settings));
    return { home, env: {}, cwd: folder() };
  },
};
const folder = () => realpathSync(mkdtempSync(join(tmpdir(), "haft-inline-")));
const open = (options: HaftOptions) => createHaft({ stateDir: false, mcpServers: false, ...options });

/** Counts how many of its calls run at the same time; each waits until `most` do, or nothing more can come. */
function gate() {
  let running = 0;
  let most = 0;
  const tool: ToolLike = {
    name: "Slow",
    description: "Takes its time.",
    input: z.object({}),
    can: [],
    effects: () => [],
    async run() {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      running--;
    },
  };
  return { tool, most: () => most };
}

async function mostAtOnce(options: HaftOptions): Promise<number> {
  const { tool, most } = gate();
  await using haft = await open({ ...options, tools: [tool] });
  await haft.run(Array.from({ length: 25 }, (_, index) => ({ id: `${index}`, tool: "Slow", input: {} })));
  return most();
}

const Look: ToolLike = {
  name: "Look",
  description: "Looks.",
  input: z.object({}),
  can: ["read"],
  effects: () => [effects.read(".")],
  run: () => "seen",
};

for (const [where, options] of Object.entries(ways))
  describe(`settings ${where}`, () => {
    it("E07 maxConcurrent says how many calls run at the same time; ten by default", async () => {
      expect(await mostAtOnce(options({}))).toBe(10);
      expect(await mostAtOnce(options({ maxConcurrent: 3 }))).toBe(3);
      expect(await mostAtOnce(options({ maxConcurrent: 20 }))).toBe(20);
    });

    it("D11 batching false leaves out the text about several calls in one turn", async () => {
      const prompt = async (settings: Settings) => {
        await using haft = await open(options(settings));
        return (await haft.offer()).prompt.join("\n");
      };
      expect(await prompt({})).toContain("make them all in one turn");
      expect(await prompt({ batching: false })).not.toContain("make them all in one turn");
    });

    it("V01 useTools leaves these tools in the offer and lets only these be called", async () => {
      await using haft = await open(options({ useTools: ["Read", "glob"] }));
      expect((await haft.offer()).tools.map(({ name }) => name)).toEqual(["Read", "Glob"]);
      expect((await haft.call("Grep", { pattern: "x" })).error?.code).toBe("tool_unavailable");
      expect((await haft.call("Glob", { pattern: "*" })).error).toBeUndefined();
      await using all = await open(options({ useTools: null }));
      expect((await all.offer()).tools.length).toBeGreaterThan(5);
    });

    it("V03 tools.NAME.enabled takes a tool away, and brings back one that is off by default", async () => {
      const offered = async (settings: Settings) => {
        await using haft = await open({ ...options(settings), tools: [{ ...Look, enabled: false }] });
        const { error } = await haft.call("Glob", { pattern: "*" });
        const names = (await haft.offer()).tools.map(({ name }) => name);
        return [error?.code, names.includes("Glob"), names.includes("Look")];
      };
      expect(await offered({})).toEqual([undefined, true, false]);
      expect(await offered({ tools: { Glob: { enabled: false }, Look: { enabled: true } } })).toEqual([
        "tool_unavailable",
        false,
        true,
      ]);
    });

    it("V03 A12 tools.NAME.autoExecute decides whether a reading tool of one's own asks", async () => {
      const call = async (settings: Settings, own?: boolean) => {
        const tool = own === undefined ? Look : { ...Look, autoExecute: own };
        await using haft = await open({ ...options(settings), tools: [tool] });
        return (await haft.call("Look", {})).error?.code;
      };
      expect(await call({})).toBe("needs_approval");
      expect(await call({ tools: { Look: { autoExecute: true } } })).toBeUndefined();
      expect(await call({}, true)).toBeUndefined();
      expect(await call({ tools: { Look: { autoExecute: false } } }, true)).toBe("needs_approval");
    });
  });

it("V09 settings of a program are held to what a file is, and stand over those of the files", async () => {
  await expect(open({ settings: { maxConcurent: 3 } as object })).rejects.toThrow(/maxConcurrent/);
  const { home } = ways["in the user's file"]!({ maxConcurrent: 2 });
  const options = { home: home!, env: {}, cwd: folder() };
  expect(await mostAtOnce({ ...options, settings: { maxConcurrent: 4 } })).toBe(4);
  expect(await mostAtOnce({ ...options, settings: {} })).toBe(2);
  expect(await mostAtOnce({ ...options, settings: {}, settingsFiles: false })).toBe(10);
});
