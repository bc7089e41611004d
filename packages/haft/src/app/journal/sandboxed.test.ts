import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-sandboxed-")));
  cwd = join(base, "work");
  for (const folder of [cwd, join(base, "home")]) mkdirSync(folder);
  writeFileSync(join(base, "settings.json"), JSON.stringify({ bash: { enableSandbox: true } }));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = () =>
  createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, mode: "bypassPermissions" },
    settings: join(base, "settings.json"),
  });
const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("a view in the sandbox", () => {
  it("G15 a confined command's changes are exactly known and undone, without a copy beforehand", async () => {
    await using haft = await open();
    writeFileSync(join(cwd, "big"), "x".repeat(300_000));
    writeFileSync(join(cwd, "script.sh"), "rm big; mkdir d; echo new > d/f");
    const { content } = await haft.call("Bash", { command: "sh script.sh" });
    expect([contentsText(content), text("big"), text("d/f")]).toEqual(["(no output)", undefined, "new\n"]);
    await haft.undo();
    expect([text("big")?.length, text("d/f")]).toEqual([300_000, undefined]);
  });

  it("G17 a protected file that it made stays aside, the rest is real, and a person can have it", async () => {
    await using haft = await open();
    const script =
      "echo x > .envrc; echo y > plain; git init -q .; printf '#!/bin/sh\\n' > .git/hooks/pre-commit; true";
    writeFileSync(join(cwd, "script.sh"), script);
    const { content } = await haft.call("Bash", { command: "sh script.sh" }, { id: "s" });
    expect(contentsText(content)).toMatch(
      /Not applied, because it runs automatically.*\.envrc.*HeldChanges .* held as \S+\./s,
    );
    expect([text(".envrc"), text(".git/hooks/pre-commit"), text("plain")]).toEqual([undefined, undefined, "y\n"]);
    // The files that git itself makes there configure nothing.
    expect(text(".git/config")).toContain("repositoryformatversion");
    await haft.redo("s");
    expect([text(".envrc"), text(".git/hooks/pre-commit")]).toEqual(["x\n", "#!/bin/sh\n"]);
  });
});
