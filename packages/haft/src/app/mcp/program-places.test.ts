import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mcpWorkspace } from "../../../test/support/mcp-workspace.ts";
import { programPlaces } from "./program-places.ts";

it("Q10 a confined server sees the files of a temporary folder that its command names, and their package", () => {
  using place = mcpWorkspace({
    "tool/package.json": {},
    "tool/node_modules/dep/index.js": "",
    "tool/dist/server.mjs": "",
    "venv/bin/python": "",
    "lone/run.py": "",
    "home/own/server.js": "",
    "data/list.json": "",
  });
  const at = (path: string) => join(place.base, path);
  const shown = (argv: readonly string[], env = {}) =>
    programPlaces({ argv, cwd: at("tool"), env }, at("home")).map((path) => path.replace(`${place.base}/`, ""));
  expect(shown(["node", "dist/server.mjs", "--root", at("data")])).toEqual(["tool", "tool/node_modules"]);
  expect(shown([at("venv/bin/python"), at("lone/run.py"), at("data/list.json")])).toEqual(["venv", "lone"]);
  expect(
    shown(["python"], { PATH: `/usr/bin:${at("venv/bin")}` }).filter((path) => path === "venv").length,
  ).toBeLessThan(2);
  for (const nothing of [["node", at("home/own/server.js")], ["node", "/etc/missing.js"], ["sh"], [""], []])
    expect(shown(nothing)).toEqual([]);
});

it("Q10 a script that stands in the temporary folder itself is shown alone", () => {
  const script = `/tmp/haft-alone-${process.pid}.mjs`;
  writeFileSync(script, "");
  try {
    expect(programPlaces({ argv: ["node", script], cwd: "/", env: {} }, "/nowhere")).toEqual([script]);
  } finally {
    rmSync(script);
  }
});
