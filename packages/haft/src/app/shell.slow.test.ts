import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

let base: string;
beforeEach(() => {
  base = seenPlace("shell");
  for (const name of ["work/.haft", "home/.config/haft"]) mkdirSync(join(base, name), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const write = (path: string, settings: object) => writeFileSync(join(base, path), JSON.stringify(settings));
const start = (options: HaftOptions) =>
  createHaft({
    ...{ cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state"), env: {} },
    ...{ mode: "bypassPermissions", ...options },
  });
const LOOK = "echo $COLUMNS x $LINES $PAGER $GIT_PAGER $TERM $GREETING";
const shell = { columns: 97, rows: 31, pager: "less -R", color: true, env: { GREETING: "hi" } };
const SEEN = "97 x 31 less -R less -R xterm-256color hi";

describe("the shell of a host", () => {
  it.each([
    ["unconfined", "none", "exec 2>&1"],
    ["a confined reader", "readers", "true"],
    ["a confined writer", "bwrap", "touch made"],
  ] as const)("G16 %s finds its size, pager, colours and variables", async (_, tier, before) => {
    if (tier !== "none" && (await findBwrap([])) === undefined) return;
    write("home/.config/haft/settings.json", { sandbox: { tier } });
    await using haft = await start({ shell });
    for (const more of [{}, { wait_ms: 5000 }]) {
      const { content, error } = await haft.call("Bash", { command: `${before}; ${LOOK}`, ...more });
      expect([error, contentsText(content)]).toEqual([undefined, SEEN]);
    }
  });

  it("G16 settings say the same, key by key below what the host says", { tags: ["smoke"] }, async () => {
    write("home/.config/haft/settings.json", { shell: { ...shell, env: { GREETING: "user", OTHER: "kept" } } });
    await using haft = await start({ shell: { columns: 50, env: { GREETING: "host" } } });
    const { content } = await haft.call("Bash", { command: `${LOOK} $OTHER` });
    expect(contentsText(content)).toBe("50 x 31 less -R less -R xterm-256color host kept");
  });

  it("G16 a project says it only when it is trusted, and is told so", async () => {
    write("work/.haft/settings.json", { shell });
    for (const trusted of [false, true]) {
      await using haft = await start({ trusted });
      const { content } = await haft.call("Bash", { command: LOOK });
      expect(contentsText(content) === SEEN).toBe(trusted);
      expect(haft.notices.some(({ setting }) => setting?.[0] === "shell")).toBe(!trusted);
    }
  });

  it.each(["none", "readers", "bwrap"])(
    "G07 to a command ~ is the home by which it was judged, not that of the process (%s)",
    async (tier) => {
      if (tier !== "none" && (await findBwrap([])) === undefined) return;
      for (const [place, text] of [
        ["home/work", "of the session"],
        ["elsewhere/work", "of the process"],
      ] as const) {
        mkdirSync(join(base, place), { recursive: true });
        writeFileSync(join(base, place, "note"), text);
      }
      vi.stubEnv("HOME", join(base, "elsewhere"));
      write("home/.config/haft/settings.json", { sandbox: { tier } });
      await using haft = await start({ mode: "default", cwd: join(base, "home/work") });
      for (const command of ["cat ~/work/note", 'cat "$HOME/work/note"', "cd; cat work/note"])
        for (const more of [{}, { wait_ms: 5000 }]) {
          const { content } = await haft.call("Bash", { command, ...more });
          expect([command, contentsText(content)]).toEqual([command, "of the session"]);
        }
      vi.unstubAllEnvs();
    },
  );

  it("G16 variables by which code gets into programs are refused, with the cure", async () => {
    for (const name of [
      "BASH_ENV",
      "LD_PRELOAD",
      "NODE_OPTIONS",
      "GIT_SSH_COMMAND",
      "PYTHONPATH",
      "HOME",
      "TAR_OPTIONS",
      "A B",
      "",
    ])
      await expect(start({ shell: { env: { [name]: "x" } } }), name).rejects.toMatchObject({
        code: "validation_failed",
        hint: expect.stringMatching(/Remove it|Use letters/),
      });
  });

  it("L01 G13 names the file that was meant where the command itself looked into the folder, and nowhere else", async () => {
    writeFileSync(join(base, "work/notes.txt"), "text\n");
    await using haft = await start({ mode: "default" });
    const hintOf = async (command: string) => (await haft.call("Bash", { command })).error?.hint;
    expect(await hintOf("ls; cat notse.txt")).toMatch(/notse\.txt does not exist.*Did you mean .*work\/notes\.txt\?/);
    expect(await hintOf("cat notse.txt")).toMatch(/notse\.txt does not exist.*Look for it with Glob\./);
  });
});
