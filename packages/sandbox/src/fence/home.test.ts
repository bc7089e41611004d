import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPolicy, privateInHome } from "@haft/core/policy";
import { type Bound, effects, isWithin } from "@haft/core/tool";
import { afterEach, beforeEach, expect, it } from "vitest";
import { planFence } from "./fence.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync("/var/tmp/haft-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const workspaceAt = (root: string) => ({ root, additional: [], home, platform: "linux" }) as const;
const unread: Bound = {
  effects: [
    { do: "run", argv: ["prog"], text: "prog", cwd: "/", opaque: true, basis: "proved" },
    { do: "unknown", why: "a test", basis: "proved" },
  ],
  holes: [],
};

it("G11 F10 with a home as the workspace Read asks about each private file that the sandbox hides, and the other way round", async () => {
  const files = privateInHome(home).map((path) =>
    /\.[a-z]+$|credentials$|history$|token$/.test(path) ? path : `${path}/x`,
  );
  for (const path of files) {
    mkdirSync(dirname(path), { recursive: true });
    try {
      writeFileSync(path, "secret");
    } catch {
      // A folder of the list lies there.
    }
  }
  const { hidden } = await planFence({ bound: unread, workspace: workspaceAt(home) });
  const policy = createPolicy({
    workspace: { ...workspaceAt(home), startedIn: home, cwd: home },
    rules: [],
    mode: "acceptEdits",
    trusted: true,
  });
  const asked = (path: string) =>
    policy.decide({ tool: { name: "Read", origin: "builtin" }, input: {}, effects: [effects.read(path)] }).decision ===
    "ask";
  const isHidden = (path: string) => hidden.some((place) => isWithin(place.path, path));
  expect(files.filter((path) => !asked(path))).toEqual([]);
  expect(files.filter((path) => !isHidden(path))).toEqual([]);
  expect(hidden.filter(({ path }) => isWithin(home, path)).filter(({ path }) => !asked(path))).toEqual([]);
});

it("G11 a command that could not be read finds toolchains and the workspace in a home, and nothing else", async () => {
  const names = [
    "notes.txt",
    "Documents/tax.pdf",
    ".secret-tool/token",
    ".env",
    ".cargo/bin/x",
    ".cargo/credentials.toml",
    "bin/own",
  ];
  for (const name of [...names, "work/a.txt"]) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), "x");
  }
  const workspace = workspaceAt(join(home, "work"));
  const fence = await planFence({ bound: unread, workspace, searchPath: `/usr/bin:${home}/bin` });
  expect(fence.emptied).toEqual([home]);
  expect(fence.readOnly.filter((path) => isWithin(home, path)).sort()).toEqual([
    join(home, ".cargo"),
    join(home, "bin"),
  ]);
  expect(fence.writable).toEqual([join(home, "work")]);
  expect(fence.hidden.map(({ path }) => path)).toContain(join(home, ".cargo/credentials.toml"));
});
