// The browser ends with its session, also when that is killed, and leaves no profile behind.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { findBrowser } from "@haft/service/web";
import { describe, expect, it, vi } from "vitest";
import { webWorkspace } from "../../test/support/web.ts";

const found = findBrowser(undefined, process.env);
const SCRIPT = fileURLToPath(new URL("../../test/support/browse-and-wait.ts", import.meta.url));

const profilesOf = (pid: number): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`haft-browser-${pid}-`));

/** Processes that were started with a profile of this process. */
const browsersOf = (pid: number): number =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(`haft-browser-${pid}-`);
    } catch {
      return false;
    }
  }).length;

describe.skipIf("absent" in found || process.platform !== "linux")("a session with a browser", () => {
  it("M03 ends it, and removes its profile", { tags: ["smoke"] }, async () => {
    const site = await webWorkspace({ "/": "<h1>x</h1>" }, { rules: { allow: ["WebBrowser"] } });
    await site.haft.call("WebBrowser", { action: "navigate", url: `${site.server.origin}/` });
    expect([browsersOf(process.pid) > 0, profilesOf(process.pid).length]).toEqual([true, 1]);
    await site[Symbol.asyncDispose]();
    await vi.waitFor(() => expect([browsersOf(process.pid), profilesOf(process.pid)]).toEqual([0, []]), 10_000);
  });

  it("M03 ends it also by a kill; the next session removes the profile that is left", async () => {
    await using site = await webWorkspace({ "/": "<h1>x</h1>" }, { rules: { allow: ["WebBrowser"] } });
    const args = [
      "--conditions=haft-source",
      SCRIPT,
      site.workspace.cwd,
      `${site.workspace.base}/home`,
      `${site.server.origin}/`,
    ];
    const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const pid = child.pid ?? 0;
    try {
      const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
      expect(String(line)).toBe("open\n");
      expect(browsersOf(pid)).toBeGreaterThan(0);
    } finally {
      child.kill("SIGKILL");
    }
    await vi.waitFor(() => expect(browsersOf(pid)).toBe(0), { timeout: 20_000 });
    await site.haft.call("WebBrowser", { action: "navigate", url: `${site.server.origin}/` });
    expect(profilesOf(pid)).toEqual([]);
  }, 60_000);
});
