import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { staticFiles } from "./static-files.ts";

const base = mkdtempSync(join(tmpdir(), "haft-static-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const folder = join(base, "site");
mkdirSync(folder);
writeFileSync(join(folder, "index.html"), "<title>page</title>");
writeFileSync(join(base, "outside.json"), "{}");

it.each([folder, `${folder}/`])("serves the pages of %s and nothing beside it", async (name) => {
  const serve = staticFiles(name);
  for (const path of ["/", "/sessions/1"]) expect(await (await serve(path))?.text()).toContain("page");
  expect(await serve("/../outside.json")).toBeUndefined();
  expect(await serve("/none.js")).toBeUndefined();
});
