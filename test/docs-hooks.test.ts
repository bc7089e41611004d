import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHaft, type Haft } from "haft";
import { afterAll, beforeAll, expect, it } from "vitest";

const page = readFileSync("docs/hooks.md", "utf8");
const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/hooks.md has no ${language} block any more`);
  return found;
};

let base: string;
let haft: Haft;
const asked: string[] = [];
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-docs-")));
  mkdirSync(join(base, "work/.haft"), { recursive: true });
  writeFileSync(join(base, "work/guard.sh"), block("sh"));
  writeFileSync(join(base, "work/.haft/settings.json"), block("json"));
  haft = await createHaft({
    cwd: join(base, "work"),
    home: base,
    stateDir: join(base, "state"),
    trusted: true,
    mode: "bypassPermissions",
    ask: async ({ why }) => {
      asked.push(why);
      return { behavior: "deny" };
    },
  });
});
afterAll(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

it("E24 the example of docs/hooks.md does what the page says", async () => {
  const write = (file_path: string) => haft.call("Write", { file_path, content: "x" });
  expect((await write("yarn.lock")).error).toMatchObject({
    code: "denied_by_hook",
    message: expect.stringContaining("Lock files"),
  });
  expect((await write("notes.md")).error).toBeUndefined();
  await haft.call("Bash", { command: "echo done && git push origin main" });
  expect(asked).toEqual([expect.stringContaining("This leaves the machine.")]);
  await haft.call("Bash", { command: "echo 'git push'" });
  expect(asked).toHaveLength(1);
});
