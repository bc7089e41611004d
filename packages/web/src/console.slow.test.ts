import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openQueueWorker, type QueueWorker } from "@haft/workers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hasRedis, startRedis, type TestRedis } from "../../../test/support/redis-server.ts";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { browserProgram, type ConsoleBrowser, consoleBrowser, hearSockets } from "./console-browser.ts";
import { demoCanvas, demoModels, demoPage, demoSchedules, demoSession, demoWork } from "./demo.ts";
import { longSession } from "./long-session.ts";

const shots = process.env.HAFT_SHOTS;
let built: ConsoleBrowser;
let server: TestServer;
let session: string;
let redis: TestRedis | undefined;
let workers: readonly QueueWorker[] = [];
/** A session with changes, an agent and a job. */
let work: string;
/** A session with a page on its canvas. */
let shown: string;

beforeAll(async () => {
  if (browserProgram === undefined) return;
  built = await consoleBrowser();
  redis = hasRedis ? await startRedis() : undefined;
  server = await testServer(demoModels(MARKUP), {
    consoleFolder: built.folder,
    session: {
      rules: { allow: ["write(src/greet.ts)"] },
      ...(redis ? { env: { HAFT_QUEUE: redis.url } } : {}),
    },
  });
  session = await demoSession(server);
  demoSchedules(server);
  work = await demoWork(server);
  shown = await demoCanvas(server);
  await demoPage(server, shown);
  if (redis) workers = [await demoWorker(redis.url, server.cwd, ["gpu"]), await demoWorker(redis.url, server.cwd, [])];
}, 90_000);

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  for (const one of workers) await one.close();
  await redis?.[Symbol.asyncDispose]();
  await built?.[Symbol.asyncDispose]();
});

/** A worker that takes calls for the folder, and gets none. */
const demoWorker = (url: string, cwd: string, labels: readonly string[]): Promise<QueueWorker> =>
  openQueueWorker({
    ...{ url, labels, workspaces: [cwd], tools: ["Bash", "Read"], journal: "demo", version: "test", concurrency: 4 },
    env: { HAFT_QUEUE_KEY: "k".repeat(64) },
    run: () => Promise.reject(new Error("no call is sent here")),
  });

/** The model may write anything; the page shows it as text. */
const MARKUP = `<img src=x onerror="window.pwned=1"><svg onload="window.pwned=1"></svg><iframe src="javascript:parent.pwned=1"></iframe>`;

/** The address of each page, and a part that is there only when its data has arrived. */
const pages = (): Readonly<Record<string, readonly [address: string, ready: string]>> => ({
  sessions: ["#/", ".session-card"],
  session: [`#/s/${session}`, ".approval"],
  steps: [`#/s/${session}/steps`, ".step .approval"],
  time: [`#/s/${work}/time/w2`, ".diff"],
  canvas: [`#/s/${shown}/canvas`, ".canvas-frame"],
  panel: [`#/s/${shown}`, ".canvas-frame"],
  tools: [`#/s/${session}/tools`, ".tools .card"],
  mcp: [`#/s/${session}/mcp`, ".empty"],
  agents: [`#/s/${work}/agents`, ".tree .card"],
  jobs: [`#/s/${work}/jobs`, ".cards .card"],
  done: [`#/s/${work}`, ".row-text"],
  nothing: [`#/s/${shown}/agents`, ".empty"],
  workers: redis ? ["#/workers", ".card meter"] : ["#/workers", ".empty"],
  approvals: ["#/approvals", ".approval"],
  schedules: ["#/schedules", ".card .tag"],
  journal: ["#/journal", ".card"],
  policy: ["#/policy", "form"],
  settings: ["#/settings", ".card"],
});

async function openConsole(width: number, theme: "light" | "dark"): Promise<Page> {
  const context = await built.browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 860 },
    colorScheme: theme,
  });
  const page = await context.newPage();
  await page.goto(`${server.handle.url}/#token=${TOKEN}`);
  await page.waitForSelector(".session-card");
  return page;
}

it.runIf(browserProgram !== undefined)(
  "U12 U17 every page in both themes and two widths has no serious accessibility violation",
  { timeout: 180_000 },
  async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const problems: unknown[] = [];
    for (const theme of ["light", "dark"] as const)
      for (const width of [1280, 390]) {
        const page = await openConsole(width, theme);
        const faults: string[] = [];
        const open = new Set<unknown>();
        page.on("request", (request) => open.add(request));
        for (const end of ["requestfinished", "requestfailed"] as const)
          page.on(end as "requestfinished", (request) => open.delete(request));
        page.on("pageerror", (error) => faults.push(error.message));
        page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
        for (const [name, [address, ready]] of Object.entries(pages())) {
          await page.evaluate((hash) => {
            location.hash = hash;
          }, address);
          await page.waitForSelector(`main ${ready}`);
          await expect.poll(() => open.size).toBe(0);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          if (overflow > 0) problems.push({ name, theme, width, overflow });
          const hidden = await page.evaluate(
            () =>
              [...document.querySelectorAll(".nav a:not(.brand)")].filter(
                (link) => link.getBoundingClientRect().right > innerWidth,
              ).length,
          );
          if (hidden > 0) problems.push({ name, theme, width, hidden });
          // The page's own policy forbids to add a script; the test may.
          const found = await page.evaluate(
            `${axe}; axe.run(document, { resultTypes: ["violations"], iframes: false })`,
          );
          const { violations } = found as { violations: { id: string; impact: string; nodes: { html: string }[] }[] };
          for (const { id, impact, nodes } of violations)
            if (impact === "serious" || impact === "critical")
              problems.push({ name, theme, width, id, html: nodes[0]?.html.slice(0, 200) });
          if (shots) {
            mkdirSync(shots, { recursive: true });
            await page.screenshot({ path: join(shots, `${name}-${theme}-${width}.png`) });
          }
        }
        expect(faults).toEqual([]);
        await page.context().close();
      }
    expect(problems).toEqual([]);
  },
);

it.runIf(browserProgram !== undefined)(
  "U18 a click on the page answers, the file is there, and the page says who answered",
  { timeout: 60_000, tags: ["smoke"] },
  async () => {
    const page = await openConsole(1280, "light");
    expect(await page.evaluate(() => location.hash)).not.toContain("token");
    expect(await page.evaluate(() => document.cookie)).toBe("");
    await page.goto(`${server.handle.url}/#/approvals`);
    await page
      .getByRole("button", { name: /^Allow once/ })
      .first()
      .click();
    await page.getByText("allowed by ann").waitFor();
    await expect.poll(() => existsSync(join(server.cwd, "README.md"))).toBe(true);
    // The markup in the model's words is text.
    await page.goto(`${server.handle.url}/#/s/${session}`);
    await page.getByText("<img src=x onerror=").first().waitFor();
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    expect(await page.locator(".markdown img, .markdown script, .markdown svg, .markdown iframe").count()).toBe(0);
    // The way back leads to the page before, which is alive again.
    await page.goBack();
    await page.getByText("allowed by ann").waitFor();
    await page.goForward();
    await server.ask("POST", `/api/sessions/${session}/prompt`, { text: "Are you there?" });
    await page.getByText("Are you there?").first().waitFor();
    await page.context().close();
  },
);

it.skipIf(browserProgram === undefined)("U17 a setting that nobody has set shows its default", async () => {
  const page = await openConsole(1280, "light");
  await page.evaluate(() => {
    location.hash = "#/settings";
  });
  await expect.poll(() => page.getByLabel("Ask before dangerous commands").isChecked()).toBe(true);
  expect(await page.getByLabel("Run every command in the sandbox").isChecked()).toBe(false);
  expect(await page.getByLabel("Limit of agents per session").getAttribute("placeholder")).toBe("100");
  await page.context().close();
});

it.runIf(browserProgram !== undefined)(
  "U01 a session of 10,000 events opens at its end, scrolls to its first row without gaps, and shows the next event",
  { timeout: 120_000 },
  async () => {
    await using long = await longSession(built.folder);
    const context = await built.browser.newContext({ viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    await page.addInitScript(hearSockets);
    await page.goto(`${long.url}/#token=${TOKEN}`);
    await page.waitForSelector(".session-card");
    const opened = (await page.evaluate(long.open)) as { last: number; ms: number };
    expect(opened.last).toBe(long.rows - 1);
    const seen = await page.evaluate(long.scrollUp);
    expect(seen).toEqual(Array.from({ length: long.rows }, (_, at) => at));
    expect(await page.evaluate(long.watchNews)).toBe("ready");
    await long.sayMore();
    const { waits, frames } = (await page.evaluate("haftNews")) as Readonly<Record<"waits" | "frames", number[]>>;
    expect(frames).toHaveLength(20);
    // An event waits for nothing but the next frame.
    expect(Math.max(...frames)).toBeLessThanOrEqual(1);
    if (process.env.HAFT_FIGURES) console.log({ openMs: opened.ms, waits, frames });
    await context.close();
  },
);
