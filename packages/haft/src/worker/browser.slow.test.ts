// WebBrowser on workers with the Chromium of this machine, on a site of this machine.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { findBrowser } from "@haft/service/web";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { type WebServer, webServer } from "../../../host/test/support/web-server.ts";
import { createHaft } from "../app/create-haft.ts";
import type { HaftOptions } from "../app/haft.ts";
import { startWorker } from "./index.ts";

const canRun = hasRedis && !("absent" in findBrowser(undefined, process.env));
const page = (title: string): string =>
  `<!doctype html><title>${title}</title><button onclick="document.title='pressed ${title}';fetch('/pressed')">Press</button>`;

describe.runIf(canRun)("a browser on a worker", { timeout: 120_000 }, () => {
  let redis: TestRedis;
  let site: WebServer;
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-worker-browser-")));
  const [cwd, home] = [join(scratch, "work"), join(scratch, "home")];
  const env = { ...process.env, HAFT_QUEUE_KEY: "k".repeat(64) };
  const base = { withoutUserSettings: true, stateDir: join(scratch, "state"), home, env } as const;
  const settings = join(scratch, "worker.json");
  const work = (labels: readonly string[]) =>
    startWorker({
      ...{ url: redis.url, labels, workspaces: [cwd], version: "test", heartbeatMs: 200 },
      haft: { ...base, settings },
    });
  /** An agent's machine without a browser. */
  const open = (more: HaftOptions = {}) =>
    createHaft({
      ...{ ...base, cwd, settings: join(scratch, "host.json"), rules: { allow: ["WebBrowser", "connect(127.0.0.1)"] } },
      queue: { url: redis.url, placement: [{ tool: "WebBrowser", on: ["browser"] }] },
      ...more,
    });
  type Host = Awaited<ReturnType<typeof open>>;
  const at = (haft: Host, path: string) =>
    haft.call("WebBrowser", { action: "navigate", url: `${site.origin}${path}` });
  const press = async (haft: Host, shown: Result) => {
    const ref = /button "Press" \[ref=(\w+)\]/.exec(contentsText(shown.content))?.[1];
    return haft.call("WebBrowser", { action: "click", ref });
  };
  const titleIn = async (haft: Host) => contentsText((await haft.call("WebBrowser", { action: "snapshot" })).content);

  beforeAll(async () => {
    for (const folder of [cwd, home]) mkdirSync(folder);
    redis = await startRedis();
    site = await webServer({ "/one": page("one"), "/two": page("two"), "/pressed": "yes" });
    writeFileSync(settings, JSON.stringify({ web: { privateHosts: [`127.0.0.1:${site.port}`] } }));
    writeFileSync(join(scratch, "host.json"), JSON.stringify({ web: { browser: { executable: "/nowhere" } } }));
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  it("keeps the pages of each session on one of the workers with the label", { tags: ["smoke"] }, async () => {
    const plain = await work([]);
    const two = [await work(["browser"]), await work(["browser"])];
    const one = await open();
    const other = await open();
    const shown = await at(one, "/one");
    expect(shown.error).toBeUndefined();
    expect(shown.labels).toMatchObject({ integrity: "stranger", sources: [`${site.origin}/one`] });
    await at(other, "/two");
    expect((await press(one, shown)).error).toBeUndefined();
    for (let time = 0; time < 3; time++) expect(await titleIn(one)).toContain("pressed one");
    expect(await titleIn(other)).toMatch(/\ntwo\n/);
    expect(site.requests.filter((line) => line.includes("/pressed"))).toHaveLength(1);
    expect(plain.info().done).toBe(0);
    expect(two[0]!.info().done + two[1]!.info().done).toBe(7);
    for (const haft of [one, other]) await haft[Symbol.asyncDispose]();
    for (const worker of [plain, ...two]) await worker.close();
  });

  it("asks people where the agent runs, with the host of the page, and obeys the rules of both sides", async () => {
    const worker = await work(["browser"]);
    const asked: string[] = [];
    const ask: HaftOptions["ask"] = async ({ title, effects }) => {
      asked.push(`${title} ${effects?.flatMap((one) => (one.do === "connect" ? [one.host] : [])).join()}`);
      return { behavior: "allow" };
    };
    const haft = await open({ rules: {}, ask, mode: "default" });
    const shown = await at(haft, "/one");
    expect((await press(haft, shown)).error).toBeUndefined();
    expect(asked).toHaveLength(2);
    expect(asked.every((line) => line.endsWith("127.0.0.1"))).toBe(true);
    await haft[Symbol.asyncDispose]();
    const closed = await open({ rules: { allow: ["WebBrowser"], deny: ["connect(127.0.0.1)"] } });
    expect((await at(closed, "/one")).error).toMatchObject({ code: "denied_by_rule" });
    await closed[Symbol.asyncDispose]();
    await worker.close();
  });

  it("ends the browser of a session that no host has open", async () => {
    const worker = await work(["browser"]);
    const haft = await open({ session: "again" });
    await at(haft, "/one");
    await haft[Symbol.asyncDispose]();
    await vi.waitFor(
      async () => {
        const again = await open({ session: "again" });
        const { error } = await again.call("WebBrowser", { action: "snapshot" });
        await again[Symbol.asyncDispose]();
        expect(error?.message).toContain("No page is open");
      },
      { timeout: patience(20_000), interval: 2_000 },
    );
    await worker.close();
  });

  it("says which worker is missing, and takes another worker when the first one has gone", async () => {
    const haft = await open({
      queue: { url: redis.url, startWithinMs: 1_000, placement: [{ tool: "WebBrowser", on: ["browser"] }] },
    });
    const { error } = await at(haft, "/one");
    expect(error).toMatchObject({ code: "tool_unavailable", hint: expect.stringContaining("--label browser") });
    const first = await work(["browser"]);
    await at(haft, "/one");
    await first.close();
    const second = await work(["browser"]);
    expect((await at(haft, "/two")).error).toBeUndefined();
    expect([first.info().done, second.info().done]).toEqual([1, 1]);
    await haft[Symbol.asyncDispose]();
    await second.close();
  });
});
