import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { openCommandHost } from "@haft/remote";
import { expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

it("L01 a session works on a remote host with policy and approvals here, and undoes files and commands there", async () => {
  const base = realpathSync(mkdtempSync("/var/tmp/haft-remote-session-"));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.txt"), "one\n");
  try {
    const enter = ["/usr/bin/env", "-i", `HOME=${base}`, `PATH=${process.env.PATH}`];
    const remote = await openCommandHost(enter, { folder: cwd, node: process.execPath });
    const asked: string[] = [];
    await using haft = await createHaft({
      ...remote.options,
      stateDir: false,
      ask: async ({ tool }) => {
        asked.push(tool);
        return { behavior: asked.length < 3 ? "allow" : "deny" };
      },
    });
    const say = async (tool: string, input: object, id: string) => {
      const { content, error } = await haft.call(tool, input, { id });
      return error?.code ?? contentsText(content);
    };
    expect(await say("Read", { file_path: "a.txt" }, "c1")).toContain("one");
    expect(await say("Grep", { pattern: "one", output_mode: "content" }, "c2")).toContain("a.txt");
    expect(await say("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }, "c3")).not.toMatch(
      /^[a-z_]+$/,
    );
    expect(await say("Bash", { command: "eval 'echo three >> a.txt; echo new > b.txt; echo said'" }, "c4")).toContain(
      "said",
    );
    expect([readFileSync(join(cwd, "a.txt"), "utf8"), existsSync(join(cwd, "b.txt"))]).toEqual(["two\nthree\n", true]);
    expect(await say("Bash", { command: "eval 'rm a.txt'" }, "c5")).toMatch(/denied/);
    await haft.undo();
    expect([readFileSync(join(cwd, "a.txt"), "utf8"), existsSync(join(cwd, "b.txt"))]).toEqual(["two\n", false]);
    await haft.undo();
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
    expect(asked).toEqual(["Edit", "Bash", "Bash"]);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
