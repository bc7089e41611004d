/** The browser: its first snapshot, and a click, beside playwright-core alone with the same Chromium and page, in turn. */
import { webWorkspace } from "../packages/haft/test/support/web.ts";
import { browserProgram, launchBrowser } from "../packages/web/src/console-browser.ts";
import { type Figure, minimum, p50 } from "./measure.ts";

const ROUNDS = 5;
const CLICKS = 10;
const buttons = Array.from({ length: CLICKS }, (_, at) => `<button onclick="this.title='Done'">Press ${at}</button>`);
const PAGE = `<title>Site</title><h1>Hello</h1>${buttons.join("")}`;

export async function browserFigures(): Promise<Figure[]> {
  if (browserProgram === undefined) return [];
  const [first, act, bareFirst, bareAct]: number[][] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    await ofHaft(first!, act!);
    await ofDriver(bareFirst!, bareAct!);
  }
  const figure = (name: string, value: number, limit: number, unit = "ms"): Figure => ({ name, value, unit, limit });
  return [
    // The first round also loads playwright-core.
    figure("browser: first snapshot, with the load of the driver", first![0]!, 1500),
    figure("browser: first snapshot, p50", p50(first!), 1500),
    figure("browser: first snapshot against playwright-core alone", minimum(first!) / minimum(bareFirst!), 2, "×"),
    figure("browser: a click, p50", p50(act!), 150),
    figure("browser: a click over one of playwright-core, p50", p50(act!) - p50(bareAct!), 150),
  ];
}

async function timed<T>(into: number[], work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const value = await work();
  into.push(performance.now() - from);
  return value;
}

async function ofHaft(first: number[], act: number[]): Promise<void> {
  await using site = await webWorkspace({ "*": PAGE }, { rules: { allow: ["WebBrowser"] } });
  const browse = async (input: object): Promise<string> => {
    const { error, content } = await site.haft.call("WebBrowser", input);
    if (error) throw new Error(error.message);
    return JSON.stringify(content);
  };
  const url = `${site.server.origin}/`;
  const page = await timed(first, () => browse({ action: "navigate", url }));
  // A button each: the same call again and again looks like a loop.
  const refs = [...page.matchAll(/Press \d.*?\[ref=(\w+)\]/g)].map(([, ref]) => ref);
  if (refs.length !== CLICKS) throw new Error(`The snapshot has ${refs.length} buttons: ${page}`);
  for (const ref of refs) await timed(act, () => browse({ action: "click", ref }));
}

async function ofDriver(first: number[], act: number[]): Promise<void> {
  await using site = await webWorkspace({ "*": PAGE });
  const from = performance.now();
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(`${site.server.origin}/`, { waitUntil: "domcontentloaded" });
  await page.ariaSnapshot({ mode: "ai" });
  first.push(performance.now() - from);
  for (let at = 0; at < CLICKS; at++) await timed(act, () => page.getByRole("button").nth(at).click());
  await browser.close();
}
