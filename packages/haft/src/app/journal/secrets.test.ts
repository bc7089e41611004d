import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { checkChain } from "@haft/journal";
import { afterEach, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Every JSONL file below a folder: the records of the session and of the journal. */
const recordsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith(".jsonl") && statSync(path).isFile());

it("J09 no record of a session holds secrets of a known shape, nor values of the environment's private names", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-secrets-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of [cwd, join(base, "home")]) mkdirSync(folder);
  const token = `ghp_${"aB3".repeat(12)}`;
  const password = 'weird "quoted" \\ pass';
  writeFileSync(join(cwd, "notes.txt"), `token ${token}\npassword ${password}\nplain words\n`);
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), settings: false, mode: "default" },
    env: { DEPLOY_PASSWORD: password },
    ask: async () => ({ behavior: "deny", message: `not with ${token}` }),
  });
  const read = await haft.call("Read", { file_path: "notes.txt" });
  // Only what is written down: the model works with what is there.
  expect(contentsText(read.content)).toContain(token);
  await haft.call("Bash", { command: `curl -H 'Authorization: Bearer ${token}' https://example.org` });
  await haft.call("Read", { file_path: `${token}.txt` });
  await haft[Symbol.asyncDispose]();
  const records = recordsIn(join(base, "state"));
  const whole = records.map((path) => readFileSync(path, "utf8")).join("");
  expect(records.length).toBeGreaterThan(0);
  expect(whole).not.toContain(token);
  expect(whole).not.toContain("weird");
  expect(whole).toContain("plain words");
  expect(whole).toContain("[redacted GitHub token]");
  expect(whole).toContain("[redacted $DEPLOY_PASSWORD]");
  for (const path of records) expect(checkChain(path).broken).toEqual([]);
});
