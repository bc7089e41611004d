// A room is a folder, or a file beside createHaft. Its functions are traced, as createHaft really calls them: if a later step
// returns to a room, the order of the steps has to be read twice to be understood.
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { importsOf } from "../../../../test/support/sources.ts";
import type { HaftOptions } from "./haft.ts";

const here = import.meta.dirname;
/** The files in which the parts of a Haft meet. Their own functions are the steps' order and no rooms. */
const COMPOSITION = ["create-haft.ts", "open/foundation.ts", "open/session-kit.ts"].map((file) => join(here, file));

/** Each module that they import, with its room. */
const rooms = new Map(
  COMPOSITION.flatMap((file) =>
    importsOf(readFileSync(file, "utf8")).map((name): [module: string, room: string] => {
      const path = name.startsWith(".") ? resolve(dirname(file), name) : name;
      return [path, path === name ? name : relative(here, dirname(path)) || basename(path, ".ts")];
    }),
  ).filter(([path]) => !COMPOSITION.includes(path)),
);

const within = new AsyncLocalStorage<string>();
const entered: string[] = [];

/** The module with functions that note their room, unless another room calls them. */
const traced = (room: string, module: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(module).map(([name, value]) => {
      if (typeof value !== "function" || !/^[a-z]/.test(name)) return [name, value];
      const step = (...args: unknown[]) => {
        if (within.getStore() !== undefined) return value(...args);
        entered.push(room);
        return within.run(room, () => value(...args));
      };
      return [name, step];
    }),
  );

/** The rooms of some steps to which a later step returns. */
function returnsIn(steps: readonly string[]): readonly string[] {
  const stays = steps.filter((room, at) => room !== steps[at - 1]);
  return stays.filter((room, at) => stays.indexOf(room) < at);
}

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-rooms-")));
  for (const [module, room] of rooms) vi.doMock(module, async (load) => traced(room, await load()));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The rooms of the steps by which createHaft makes one Haft. */
async function stepsOf(name: string, options: HaftOptions, settings?: object): Promise<readonly string[]> {
  const cwd = join(base, name);
  mkdirSync(join(cwd, ".haft"), { recursive: true });
  if (settings) writeFileSync(join(cwd, ".haft/settings.json"), JSON.stringify(settings));
  const { createHaft } = await import("./create-haft.ts");
  entered.splice(0);
  const haft = await createHaft({ cwd, home: base, stateDir: join(base, `${name}-state`), ...options });
  const steps = [...entered];
  await haft[Symbol.asyncDispose]();
  return steps;
}

it("notices a return", () => {
  expect(returnsIn(["setup", "setup", "mcp", "setup", "agents", "mcp"])).toEqual(["setup", "mcp"]);
});

it("createHaft enters each room once", async () => {
  const steps = await stepsOf("plain", {});
  expect(new Set(steps).size).toBeGreaterThan(12);
  expect(returnsIn(steps)).toEqual([]);
});

it("createHaft enters each room once, with hooks, servers and remarks on the settings", async () => {
  const hook = { hooks: [{ type: "command", command: "true" }] };
  const settings = {
    hooks: { PostToolUse: [hook] },
    mcpServers: { files: { command: "false" } },
    flow: "enforce",
  };
  const heard: string[] = [];
  const onNotice = ({ code }: { readonly code: string }) => void heard.push(code);
  const steps = await stepsOf("full", { trusted: true, ask: async () => undefined, onNotice, onEvent() {} }, settings);
  expect(heard).toContain("setting");
  expect(returnsIn(steps)).toEqual([]);
});
