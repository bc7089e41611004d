import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "@haft/service";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestServer, TOKEN, testServer } from "../../haft/test/support/console-server.ts";
import { demoModel, demoPage, demoSchedules, demoSession } from "./demo.ts";
import { hearSockets, longSession } from "./long-session.ts";

const shots = process.env.HAFT_SHOTS;
const found = findBrowser(undefined, process.env);
const program = "executable" in found ? found.executable : undefined;
let folder: string;
let server: TestServer;
let browser: Browser;
let session: string;
/** A session with a page on its canvas. */
let shown: string;

beforeAll(async () => {
  if (program === undefined) return;
  folder = mkdtempSync(join(tmpdir(), "haft-console-"));
  const { build } = await import("vite");
  const configFile = fileURLToPath(new URL("../vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "error", build: { outDir: folder } });
  server = await testServer(demoModel(MARKUP), {
    consoleFolder: folder,
    session: { rules: { allow: ["write(src/greet.ts)"] } },
  });
  session = await demoSession(server);
  demoSchedules(server);
  shown = String((await server.ask("POST", "/api/sessions", {})).id);
  await demoPage(server, shown);
  const { chromium } = await import("playwright-core");
  browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
}, 90_000);

afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The model may write anything; the page shows it as text. */
const MARKUP = `<img src=x onerror="window.pwned=1"><svg onload="window.pwned=1"></svg><iframe src="javascript:parent.pwned=1"></iframe>`;

/** The address of each page, and a part that is there only when its data has arrived. */
const pages = (): Readonly<Record<string, readonly [address: string, ready: string]>> => ({
  sessions: ["#/", ".session-card"],
  session: [`#/s/${session}`, ".approval"],
  steps: [`#/s/${session}/steps`, ".step .approval"],
  time: [`#/s/${session}/time`, ".diff"],
  canvas: [`#/s/${shown}/canvas`, ".canvas-frame"],
  panel: [`#/s/${shown}`, ".canvas-frame"],
  tools: [`#/s/${session}/tools`, ".tools .card"],
  mcp: [`#/s/${session}/mcp`, ".empty"],
  agents: [`#/s/${session}/agents`, ".empty"],
  jobs: [`#/s/${session}/jobs`, ".empty"],
  approvals: ["#/approvals", ".approval"],
  schedules: ["#/schedules", ".card .tag"],
  journal: ["#/journal", ".card"],
  policy: ["#/policy", "form"],
  settings: ["#/settings", ".card"],
});

async function openConsole(width: number, theme: "light" | "dark"): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 860 },
    colorScheme: theme,
  });
  const page = await context.newPage();
  await page.goto(`${server.handle.url}/#token=${TOKEN}`);
  await page.waitForSelector(".session-card");
  return page;
}

it.runIf(program !== undefined)(
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

it.runIf(program !== undefined)(
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

it.runIf(program !== undefined)(
  "U01 a session of 10,000 events opens at its end, scrolls to its first row without gaps, and shows the next event",
  { timeout: 120_000 },
  async () => {
    await using long = await longSession(folder);
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
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
