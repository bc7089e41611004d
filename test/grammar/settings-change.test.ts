import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHaft } from "../../packages/haft/src/app/create-haft.ts";
import type { HaftOptions } from "../../packages/haft/src/app/haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-change-")));
  for (const folder of ["home", "work/.haft"]) mkdirSync(join(base, folder), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const settle = (text: string) => writeFileSync(join(base, "work/.haft/settings.json"), text);
const open = (more: HaftOptions = {}) =>
  createHaft({
    cwd: join(base, "work"),
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    trusted: true,
    ask: "host",
    ...more,
  });

async function waitingWrite() {
  settle('{"permissions": {"deny": ["Read(secret)"]}}');
  writeFileSync(join(base, "work/secret"), "x");
  const haft = await open();
  const writing = haft.call("Write", { file_path: "new.txt", content: "x" });
  await expect.poll(() => haft.pending().length).toBe(1);
  return { haft, writing, request: haft.pending()[0]! };
}

it.each(['{"permissions": {"allow": ["Write", "Read"], "defaultMode": "bypassPermissions"}}', "{ broken"])(
  "F30 settings that change on disk while a call waits change nothing for this session: %s",
  async (changed) => {
    const { haft, writing, request } = await waitingWrite();
    settle(changed);
    expect(existsSync(join(base, "work/new.txt"))).toBe(false);
    expect((await haft.call("Read", { file_path: "secret" })).error?.code).toBe("denied_by_rule");
    haft.answer(request.id, { behavior: "allow" });
    expect((await writing).error).toBeUndefined();
    const again = haft.call("Write", { file_path: "other.txt", content: "x" });
    await expect.poll(() => haft.pending().length).toBe(1);
    haft.answer(haft.pending()[0]!.id, { behavior: "deny", message: "no" });
    expect((await again).error?.code).toBe("denied_by_user");
  },
);

it("F30 the next session has them, and does not start with what cannot be read", async () => {
  const { haft, writing, request } = await waitingWrite();
  settle('{"permissions": {"deny": ["Write"]}}');
  haft.answer(request.id, { behavior: "allow" });
  await writing;
  const next = await open();
  expect((await next.call("Write", { file_path: "a.txt", content: "x" })).error?.code).toMatch(/denied|unavailable/);
  settle("{ broken");
  await expect(open()).rejects.toThrow(/JSON5/);
});

it("F30 mode bypassPermissions can be switched off by any file, that of an untrusted project too", async () => {
  settle('{"permissions": {"disableBypassPermissionsMode": "disable"}}');
  for (const trusted of [true, false])
    await expect(open({ trusted, mode: "bypassPermissions" })).rejects.toThrow(/disable mode bypassPermissions/);
  const haft = await open({ mode: "acceptEdits" });
  expect((await haft.call("Write", { file_path: "a.txt", content: "x" })).error).toBeUndefined();
});
