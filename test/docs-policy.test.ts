import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHaft } from "../packages/haft/src/app/create-haft.ts";
import { drawExplanation } from "../packages/haft/src/draw/decision.ts";
import { PLAIN } from "../packages/haft/src/draw/style.ts";

const page = readFileSync("docs/policy.md", "utf8");
const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/policy.md has no ${language} block any more`);
  return found;
};

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-docs-")));
  mkdirSync(join(base, "work/app/.haft"), { recursive: true });
  writeFileSync(join(base, "work/app/.haft/settings.json"), block("json"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

it("F29 the example of docs/policy.md is explained as the page shows", async () => {
  const [typed = "", ...shown] = block("console").trimEnd().split("\n");
  const [, tool = "", input = ""] = /^\$ haft explain (\w+) '(.*)'$/.exec(typed) ?? [];
  await using haft = await createHaft({
    ...{ cwd: join(base, "work/app"), home: base, stateDir: join(base, "state"), env: {}, trusted: true },
  });
  const drawn = drawExplanation(await haft.explain(tool, JSON.parse(input)), PLAIN);
  expect(drawn.replaceAll(base, "")).toBe(shown.join("\n"));
});
