import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";
import type { Notice } from "./notice.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-notice-")));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

const HOOK = { hooks: { PreToolUse: [{ matcher: "Read", hooks: [{ type: "command", command: "exit 1" }] }] } };
const LOOSE = { permissions: { allow: ["Bash"] } };
const UNKEPT = { journal: { head: ["/nowhere/keeper"] } };

/** A folder that is not trusted, with settings of the user and of the project. */
function place(user: object, project: object): HaftOptions {
  for (const [folder, settings] of [["home/.config/haft", user] as const, ["work/.haft", project] as const]) {
    mkdirSync(join(base, folder), { recursive: true });
    writeFileSync(join(base, folder, "settings.json"), JSON.stringify(settings));
  }
  writeFileSync(join(base, "work/a.txt"), "one\n");
  return {
    cwd: join(base, "work"),
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: { XDG_CONFIG_HOME: join(base, "home/.config") },
  };
}

/** Everything happens that a person should hear of: settings that do not count, a hook that fails, a head nobody takes. */
async function eventful(
  options: HaftOptions,
): Promise<{ readonly record: string; readonly notices: readonly Notice[] }> {
  const haft = await createHaft({ ...place({ ...HOOK, ...UNKEPT }, LOOSE), ...options });
  await haft.call("Read", { file_path: "a.txt" });
  await haft[Symbol.asyncDispose]();
  return { record: readFileSync(haft.session.path!, "utf8"), notices: haft.notices };
}

const CODES = ["setting", "hook_failure", "head_not_kept"];

describe("a notice for the person", () => {
  it("E24 G15 goes to one listener, is kept, and stands in the record; the process is then not warned", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    const heard: Notice[] = [];
    const { record, notices } = await eventful({ onNotice: (notice) => heard.push(notice) });
    expect(heard.map(({ code }) => code)).toEqual(CODES);
    expect(notices).toEqual(heard);
    expect(heard[0]).toMatchObject({
      source: expect.stringMatching(/settings\.json/),
      setting: ["permissions", "allow"],
    });
    for (const { message, cure, code } of heard) {
      expect(message).not.toBe("");
      if (code !== "hook_failure") expect(cure).toMatch(/\w/);
    }
    for (const code of CODES) expect(record).toMatch(new RegExp(`"t":"notice",[^{}]*"code":"${code}"`));
    expect(warned).not.toHaveBeenCalled();
  });

  it("E24 without a listener it is a warning of the process, each by its code", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    await eventful({});
    expect(warned.mock.calls.map(([, how]) => how)).toEqual(CODES.map((code) => ({ type: "HaftWarning", code })));
    expect(warned.mock.calls[1]?.[0]).toContain('PreToolUse hook "exit 1"');
  });

  it("E24 a listener that throws stops nothing", async () => {
    const { notices } = await eventful({
      onNotice() {
        throw new Error("not mine");
      },
    });
    expect(notices.map(({ code }) => code)).toEqual(CODES);
  });
});
