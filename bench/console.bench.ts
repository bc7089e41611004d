/**
 * The built console in Chromium: the size of its scripts. With a session of 10,000 events: how soon it is open, and how
 * soon it shows an event.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { TOKEN } from "../packages/haft/test/support/console-server.ts";
import { browserProgram, hearSockets, launchBrowser } from "../packages/web/src/console-browser.ts";
import { longSession } from "../packages/web/src/long-session.ts";
import { type Figure, p50 } from "./measure.ts";

const EVENTS = 200;
const FOLDER = fileURLToPath(new URL("../packages/haft/dist/console", import.meta.url));
const SCRIPTS = `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith(".js"))`;

export async function consoleFigures(): Promise<Figure[]> {
  if (browserProgram === undefined) return [];
  await using long = await longSession(FOLDER, EVENTS);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.addInitScript(hearSockets);
    await page.goto(`${long.url}/#token=${TOKEN}`);
    await page.waitForSelector(".session-card");
    const scripts = (await page.evaluate(SCRIPTS)) as string[];
    const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(FOLDER, path))).length, 0);
    const { ms } = (await page.evaluate(long.open)) as { ms: number };
    await page.evaluate(long.watchNews);
    await long.sayMore();
    const { waits } = (await page.evaluate("haftNews")) as { waits: number[] };
    const name = `event to screen, ${EVENTS} events (load ${loadavg()[0]?.toFixed(1)})`;
    return [
      { name: "scripts of the first view, gzip", value: bytes / 1_000, unit: "KB", limit: 250 },
      { name: "a session of 10,000 events is open", value: ms, unit: "ms", limit: 1_000 },
      { name: `${name}, median`, value: p50(waits), unit: "ms", limit: 50 },
      { name: "…, the slowest", value: Math.max(...waits), unit: "ms", limit: 50 },
    ];
  } finally {
    await browser.close();
  }
}
