import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { call, say, streamOf } from "./support/anthropic-wire.ts";
import { wireServer } from "./support/wire-server.ts";

const script = fileURLToPath(new URL("../examples/face/start.mjs", import.meta.url));

it("E16 the face of 60 lines shows words, a diff and a question, and knows no tool by name", {
  tags: ["smoke"],
  timeout: 60_000,
}, async () => {
  const source = readFileSync(script, "utf8");
  expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(62);
  expect(source).not.toMatch(/\b(?:Bash|Edit|Write|Grep|Glob|TodoWrite)\b/);
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-face-")));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  mkdirSync(cwd);
  mkdirSync(home);
  writeFileSync(join(cwd, "a.txt"), "alpha\n");
  const edit = { file_path: "a.txt", old_string: "alpha", new_string: "beta" };
  await using server = await wireServer([
    { events: streamOf([say("Looking."), call("t1", "Read", { file_path: "a.txt" })]) },
    { events: streamOf([call("t2", "Edit", edit)]) },
    { events: streamOf([say("It says beta now.")]) },
  ]);
  const env = { PATH: process.env.PATH, HOME: home, HAFT_STATE_DIR: join(base, "state") };
  const keys = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1` };
  const child = spawn(process.execPath, ["--conditions=haft-source", "--no-warnings", script], {
    cwd,
    env: { ...env, ...keys },
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      shown += String(chunk);
    });
  const until = (text: string) => expect.poll(() => shown, { timeout: 30_000 }).toContain(text);
  await until("> ");
  child.stdin.write("Change a.txt.\n");
  await until("y = yes");
  expect(shown).toContain("-alpha");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("alpha\n");
  child.stdin.write("y\n");
  await until("It says beta now.");
  child.stdin.end();
  expect(await new Promise((resolve) => child.on("exit", resolve))).toBe(0);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("beta\n");
  expect(shown).toContain("Looking.");
  rmSync(base, { recursive: true, force: true });
});
