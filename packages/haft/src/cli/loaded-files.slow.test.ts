// Every module that a call loads without need makes every start slower.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../../test/support/haft-process.ts";

/** Today 299, and room for one more. Lower it when the number falls: import lazily where a call may not come. */
const MOST_FILES = 300;

const main = join(import.meta.dirname, "main.ts");
const counter = join(import.meta.dirname, "../../test/support/count-loaded.mjs");

it("a call of Edit loads few source files", { tags: ["smoke"], timeout: 60_000 }, () => {
  using place = scratch();
  const file = place.write("a.txt", "hello\n");
  const list = join(place.cwd, "..", "loaded.json");
  const input = JSON.stringify({ file_path: file, old_string: "hello", new_string: "bye" });
  const node = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning", `--import=${counter}`, main];
  const env = { ...place.env, HAFT_LOADED: list };
  const args = [...node, "call", "Edit", input, "--allow", "Edit"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: place.cwd, env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(readFileSync(file, "utf8")).toBe("bye\n");
  const loaded: string[] = JSON.parse(readFileSync(list, "utf8"));
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.length).toBeLessThanOrEqual(MOST_FILES);
  const tools = loaded.filter((url) => /builtin\/(?!support)[a-z-]+\/[a-z-]+\.ts$/.test(url));
  expect(tools.map((url) => url.replace(/^.*\//, ""))).toEqual(["edit.ts"]);
  // Neither the formats of model APIs nor tools of other shapes are needed for a call.
  expect(
    loaded.filter((url) => /core\/src\/(?:adapter|edge|contract)\/|haft\/src\/(?:server|terminal|acp)\//.test(url)),
  ).toEqual([]);
});
