// The benches run seldom: these cases notice when one of their imports breaks.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: Record<string, string> };

it.each([
  ["bench", /There is no bench "none". There are: .*workers/],
  ["bench:peers", /There is no part "none". Parts: .*workers/],
])("npm run %s loads all of its parts", { tags: ["smoke"], timeout: 60_000 }, (name, message) => {
  const [, ...words] = scripts[name]!.split(" ");
  const { status, stderr } = spawnSync(process.execPath, [...words, "none"], { cwd: root, encoding: "utf8" });
  expect(stderr).toMatch(message);
  expect(status).toBe(2);
});
