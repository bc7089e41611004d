import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-public-")));
  for (const name of ["work", "home"]) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const haftWith = (sandbox: object, permissions: object = {}) => {
  const settings = join(base, "settings.json");
  writeFileSync(settings, JSON.stringify({ sandbox, permissions }));
  const at = { cwd: join(base, "work"), home: join(base, "home"), stateDir: join(base, "state") };
  return createHaft({ ...at, settings, env: {}, trusted: true });
};
const RELEASE = "/etc/os-release";

describe.skipIf(!existsSync(RELEASE))("a file that everybody on the machine may read", () => {
  it.each([{ tier: "none" }, { tier: "readers" }])(
    "G13 a command reads it unasked, and really shows it (%o)",
    async (sandbox) => {
      await using haft = await haftWith(sandbox);
      const printed = async (command: string) => (await haft.call("Bash", { command })).output as { stdout: string };
      expect((await printed(`cat ${RELEASE}`)).stdout).toBe(readFileSync(RELEASE, "utf8"));
      expect((await printed("head -1 /proc/version; wc -c < /proc/cpuinfo")).stdout).toMatch(/^Linux.*\n\d+\n$/);
      expect((await printed("ls /usr/bin | grep -x env")).stdout).toBe("env\n");
      expect((await haft.call("Bash", { command: "cat /etc/passwd" })).error?.code).toBe("needs_approval");
    },
  );

  it("G13 so do the tools, by their effects; a link is judged by where it leads, and rules win", async () => {
    symlinkSync("/usr/lib", join(base, "work", "lib"));
    symlinkSync("/etc/passwd", join(base, "work", "people"));
    await using haft = await haftWith({ tier: "none" }, { deny: ["Read(//usr/share/**)"] });
    const decided = async (tool: string, input: object) => (await haft.explain(tool, input)).decision?.decision;
    expect(await decided("Read", { file_path: RELEASE })).toBe("allow");
    expect(await decided("Grep", { pattern: "x", path: "/usr/bin" })).toBe("allow");
    expect(await decided("Glob", { pattern: "*.so", path: join(base, "work", "lib") })).toBe("allow");
    expect(await decided("Read", { file_path: join(base, "work", "people") })).toBe("ask");
    expect(await decided("Read", { file_path: "/usr/share/doc" })).toBe("deny");
    expect(await decided("Edit", { file_path: "/usr/bin/x", old_string: "a", new_string: "b" })).toBe("ask");
    expect(await decided("Write", { file_path: "/usr/bin/x", content: "" })).toBe("ask");
  });
});
