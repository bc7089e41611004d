import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { staticFiles } from "./static-files.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-static-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "index.html"), "<title>page</title>");
writeFileSync(join(folder, "..", "haft-static-outside.json"), "{}");

it.each([folder, `${folder}/`])("serves the pages of %s and nothing beside it", async (name) => {
  const serve = staticFiles(name);
  for (const path of ["/", "/sessions/1"]) expect(await (await serve(path))?.text()).toContain("page");
  expect(await serve("/../haft-static-outside.json")).toBeUndefined();
  expect(await serve("/none.js")).toBeUndefined();
});
