import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { mountCopy } from "./mount-copy.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-mount-copy-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const ways = process.geteuid?.() === 0 ? (["root", "user"] as const) : (["user"] as const);
const works = process.platform === "linux" && spawnSync("unshare", ["--user", "--mount", "true"]).status === 0;

it.skipIf(!works).each(ways)("L03 a job sees the copy at the path of the workspace, as its own user (%s)", (as) => {
  const [folder, at] = [join(base, `copy of ${as}`), join(base, `work 'of' ${as}`)];
  for (const place of [folder, at]) mkdirSync(place);
  writeFileSync(join(folder, "a.txt"), "frozen\n");
  writeFileSync(join(at, "a.txt"), "live\n");
  const script = "pwd; cat a.txt; id -u; echo made > made.txt; exec sleep 0";
  const command = { argv: ["/bin/sh", "-c", script], cwd: at, env: { PATH: "/usr/bin:/bin" } };
  const { argv, cwd, env } = mountCopy({ folder, at, as }, command);
  const { stdout, stderr, status } = spawnSync(argv[0]!, argv.slice(1), { cwd, env, encoding: "utf8" });
  expect([stdout, stderr, status]).toEqual([`${at}\nfrozen\n${process.geteuid?.()}\n`, "", 0]);
  expect([existsSync(join(at, "made.txt")), readFileSync(join(folder, "made.txt"), "utf8")]).toEqual([false, "made\n"]);
});
