import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = seenPlace("names");
  cwd = join(base, "home/work");
  for (const folder of ["home/work/.haft", "home/work/sub", "home/.ssh"])
    mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(cwd, ".env"), "KEY=of the workspace\n");
  writeFileSync(join(cwd, "sub/server.key"), "KEY=of the server\n");
  writeFileSync(join(base, "home/.ssh/id_test"), "KEY=of the person\n");
  writeFileSync(join(cwd, "own.txt"), "our own\n");
  linkSync(join(cwd, "own.txt"), join(cwd, "sub/same.txt"));
  linkSync(join(cwd, ".env"), join(cwd, "notes.txt"));
  linkSync(join(cwd, "sub/server.key"), join(cwd, "sub/deep.txt"));
  linkSync(join(base, "home/.ssh/id_test"), join(cwd, "sub/id.txt"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (options: HaftOptions = {}) =>
  createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false },
    ...options,
  });

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("a private file that has a second name", () => {
  it.each(["cat notes.txt", "cat *.txt sub/*.txt", "grep -rh '' .", "head -2 sub/deep.txt notes.txt sub/id.txt"])(
    "G15 %s does not show it by that name either",
    async (command) => {
      await using haft = await open();
      const said = contentsText((await haft.call("Bash", { command })).content);
      expect(said).not.toContain("KEY=");
      expect(said).toContain("Permission denied");
      if (command.includes("*") || command.includes("-r")) expect(said.match(/our own/g)).toHaveLength(2);
    },
  );

  it("G15 an unread command does not get at it, with the name in any folder", async () => {
    writeFileSync(join(cwd, "s.sh"), "cat notes.txt sub/id.txt own.txt");
    const settings = join(base, "settings.json");
    writeFileSync(settings, JSON.stringify({ bash: { enableSandbox: true } }));
    await using haft = await open({ settings, mode: "bypassPermissions" });
    const said = contentsText((await haft.call("Bash", { command: "sh s.sh" })).content);
    expect(said).not.toContain("KEY=");
    expect(said).toContain("our own");
  });

  it("G15 a person is asked for the private file itself, and after a yes it is read by either name", async () => {
    const asked: ApprovalRequest[] = [];
    await using haft = await open({
      ask: async (request) => {
        asked.push(request);
        return { behavior: "allow" };
      },
    });
    const { content } = await haft.call("Bash", { command: "cat notes.txt" });
    expect(asked.map(({ effects }) => effects)).toMatchObject([[{ do: "read", path: join(cwd, ".env") }]]);
    expect(contentsText(content)).toContain("KEY=of the workspace");
  });

  it("G15 files with two names of which none is private are read as ever", async () => {
    await using haft = await open();
    expect(contentsText((await haft.call("Bash", { command: "cat own.txt sub/same.txt" })).content)).toBe(
      "our own\nour own",
    );
  });
});

describe.skipIf(!hasBwrap)("paths that deny rules close", () => {
  const SCRIPT =
    "cat shut/x ../notes/x; echo new > fixed/x; echo new > fixed/made; mv fixed gone; mkdir -p dist; echo new > dist/x; echo seen; cat fixed/x";
  const deny = ["Read(shut/**)", "Read(~/notes/**)", "write(fixed/**)", "write(dist/**)"];

  it("G15 F29 a confined command of which nobody knows what it does does not get at it", async () => {
    for (const name of ["home/notes", "home/work/shut", "home/work/fixed"]) {
      mkdirSync(join(base, name), { recursive: true });
      writeFileSync(join(base, name, "x"), name.endsWith("fixed") ? "as it was\n" : "CLOSED\n");
    }
    writeFileSync(join(cwd, "s.sh"), SCRIPT);
    const settings = join(base, "settings.json");
    writeFileSync(settings, JSON.stringify({ sandbox: { tier: "bwrap" }, permissions: { deny } }));
    await using haft = await open({ settings, rules: { allow: ["Bash"] } });
    const said = contentsText((await haft.call("Bash", { command: "sh s.sh" })).content);
    expect(said).not.toContain("CLOSED");
    expect(said).toMatch(/seen\nas it was/);
    expect(readdirSync(join(cwd, "fixed"))).toEqual(["x"]);
    expect(existsSync(join(cwd, "dist/x"))).toBe(false);
  });
});
