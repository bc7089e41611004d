import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-sandbox-")));
  cwd = join(base, "work");
  mkdirSync(cwd);
  mkdirSync(join(base, "home"));
  writeFileSync(join(base, "outside.txt"), "theirs");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function sandboxed(settings: object) {
  const file = join(base, "settings.json");
  writeFileSync(file, JSON.stringify(settings));
  return createHaft({
    cwd,
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    settings: file,
    mode: "bypassPermissions",
  });
}

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("commands in the sandbox", () => {
  it("G15 enableSandbox: a write inside is made, one outside is not", async () => {
    await using haft = await sandboxed({ bash: { enableSandbox: true } });
    const inside = await haft.call("Bash", { command: "echo mine > inside.txt && cat inside.txt" });
    expect([inside.error, contentsText(inside.content)]).toEqual([undefined, "mine"]);
    expect(readFileSync(join(cwd, "inside.txt"), "utf8")).toBe("mine\n");
    // A script: what it does cannot be read from the command, so nothing outside was granted.
    writeFileSync(join(cwd, "script.sh"), `echo mine > ${join(base, "outside.txt")}`);
    await haft.call("Bash", { command: "sh script.sh" });
    expect(readFileSync(join(base, "outside.txt"), "utf8")).toBe("theirs");
  });

  it("G15 there is no network, and no background job that would run outside", async () => {
    await using haft = await sandboxed({ sandbox: { tier: "bwrap" } });
    const net = await haft.call("Bash", { command: "cat < /dev/tcp/127.0.0.1/9 2>&1; ls /sys/class/net" });
    expect(contentsText(net.content)).not.toMatch(/eth|ens|wlan/);
    const job = await haft.call("Bash", { command: "sleep 1; touch late", run_in_background: true });
    expect(job.error).toBeDefined();
    expect(existsSync(join(cwd, "late"))).toBe(false);
  });

  it("G17 a protected file cannot be made by a command, whoever allowed it", async () => {
    await using haft = await sandboxed({ bash: { enableSandbox: true } });
    writeFileSync(join(cwd, "script.sh"), "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo x > .envrc; true");
    await haft.call("Bash", { command: "sh script.sh" });
    expect([existsSync(join(cwd, ".git/hooks/pre-commit")), existsSync(join(cwd, ".envrc"))]).toEqual([false, false]);
  });
});

it("G15 a tier that is not built is refused at the start, never weakened", async () => {
  await expect(sandboxed({ sandbox: { tier: "srt" } })).rejects.toThrow("srt is not built");
});
