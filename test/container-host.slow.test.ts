// The example of a container as the host, in a container of bubblewrap: its files are not those of this machine.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostChecks } from "@haft/core/contract";
import { createFilesJournal } from "@haft/core/host";
import { findBwrap } from "@haft/sandbox/facts";
import { createHaft } from "haft";
import { afterAll, describe, expect, it } from "vitest";
import { containerHost } from "../examples/stores/container-host.ts";

const bwrap = await findBwrap([]);
const base = mkdtempSync(join(tmpdir(), "haft-container-"));
mkdirSync(join(base, "work"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const links = ["bin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]);
const system = ["--ro-bind", "/usr", "/usr", ...links, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
const alone = ["--unshare-all", "--die-with-parent", "--clearenv", "--setenv", "PATH", "/usr/bin"];
const enter = [bwrap ?? "bwrap", ...system, ...alone, "--bind", join(base, "work"), "/project"];

describe.skipIf(bwrap === undefined)("a container as the host", () => {
  it.each(hostChecks(() => ({ host: containerHost(enter), folder: "/project" })))("L01 $name", ({ run }) => run());

  it("L01 takes edits, commands and undo of a session", { tags: ["smoke"] }, async () => {
    const host = containerHost(enter);
    await host.files.write("/project/a.txt", "one\n");
    await using haft = await createHaft({
      ...{ host, cwd: "/project", stateDir: false, journal: createFilesJournal(host.files), mode: "acceptEdits" },
      ask: async () => ({ behavior: "allow" }),
    });
    await haft.call("Read", { file_path: "a.txt" });
    await haft.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
    const { content } = await haft.call("Bash", { command: "cat a.txt; pwd; touch made-there" });
    expect(content[0]).toMatchObject({ type: "text", text: expect.stringContaining("two\n/project") });
    expect(readdirSync(join(base, "work"))).toContain("made-there");
    await haft.undo();
    expect((await host.files.text("/project/a.txt")).text).toBe("one\n");
  });
});
