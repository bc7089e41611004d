import { setTimeout as delay } from "node:timers/promises";
import { type BrowserReply, type BrowserTab, type BrowserWish, fail, grouped, HaftError } from "@haft/core/tool";
import type { Download, Frame, Locator, Page, Response } from "playwright-core";
import { DOWNLOAD_MS, type Downloads } from "./downloads.ts";
import { fileName, type Tab } from "./tab.ts";

/** Timeout in milliseconds for one action on an element, and for one page to load. */
const ACT_MS = 10_000;
const LOAD_MS = 30_000;
/** Timeout for a whole action: a page with a script that does not end answers nothing. */
const WHOLE_MS = 60_000;
const MOST_MS: Partial<Record<BrowserWish["action"], number>> = {
  evaluate: LOAD_MS,
  download: DOWNLOAD_MS + WHOLE_MS,
};
const LOAD_TRIES = 3;
/** How long a page may take to settle after an action, in milliseconds. */
const SETTLE_MS = 5_000;
/** Milliseconds that a page has to draw the result of an action, and between two checks whether it is leaving. */
const FRAME_MS = 500;
const STEP_MS = 10;
/** Milliseconds that a page has to start a navigation after an action. A submitted form usually navigates. */
const DEPARTURE_MS = 60;
const SENT_MS = 400;
/** Most characters of a snapshot, and of a script's return value. */
const SNAPSHOT_CHARS = 40_000;
const VALUE_CHARS = 20_000;

type Done = Omit<BrowserReply, "notes" | "tab"> & { readonly notes: readonly string[] };

/** Performs one action in a tab. */
export async function act(tab: Tab, wish: BrowserWish, whole: Whole): Promise<Done> {
  if (tab.crashed && wish.action !== "close") throw crashed();
  try {
    const done = await inTime(ACTIONS[wish.action](tab, wish, whole), wish);
    if (tab.expelled === undefined) return done;
  } catch (thrown) {
    if (tab.expelled === undefined && tab.page.isClosed() && tab.notes.length > 0) return nothing;
    if (tab.expelled === undefined)
      throw tab.crashed || /\b(?:Target|Page) crashed/.test(String(thrown)) ? crashed() : problemOf(thrown, wish);
  }
  await Promise.race([tab.closing, delay(SETTLE_MS)]);
  return fail("execution_failed", tab.expelled, "Use another page, or read this one with WebFetch.");
}

const crashed = (): HaftError =>
  new HaftError({
    code: "execution_failed",
    message: "The page has crashed.",
    hint: 'Open it again: {"action": "navigate", "url": …}.',
  });

async function inTime<T>(work: Promise<T>, { action }: BrowserWish): Promise<T> {
  const most = MOST_MS[action] ?? WHOLE_MS;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Timeout ${most}ms exceeded`)), most);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The parts of the browser that are not of one tab. */
interface Whole {
  readonly downloads: Downloads;
  tabs(): Promise<readonly BrowserTab[]>;
}

type Action = (tab: Tab, wish: BrowserWish, whole: Whole) => Promise<Done>;

const nothing: Done = { notes: [] };

/** Performs an action and shows the page afterwards if the address changed. */
const changing =
  (work: (tab: Tab, wish: BrowserWish) => Promise<unknown>, isAlwaysShown = false): Action =>
  async (tab, wish) => {
    const before = tab.address();
    await work(tab, wish);
    await settle(tab, before, wish.submit ? SENT_MS : DEPARTURE_MS);
    if (!tab.page.isClosed()) await tab.leaveForbidden();
    if (tab.page.isClosed()) return nothing;
    return isAlwaysShown || tab.address() !== before ? shown(tab.page) : nothing;
  };

const ACTIONS: Readonly<Record<BrowserWish["action"], Action>> = {
  navigate: changing((tab, { url }) => goTo(tab, needed(url, "url")), true),
  open: changing(async (tab, { url }) => (url === undefined ? undefined : goTo(tab, url)), true),
  back: changing(({ page }) => page.goBack({ timeout: LOAD_MS, waitUntil: "domcontentloaded" }), true),
  forward: changing(({ page }) => page.goForward({ timeout: LOAD_MS, waitUntil: "domcontentloaded" }), true),
  reload: changing(({ page }) => page.reload({ timeout: LOAD_MS, waitUntil: "domcontentloaded" }), true),
  click: changing(async ({ page }, wish) =>
    (await elementOf(page, wish)).click({ timeout: ACT_MS, noWaitAfter: true }),
  ),
  hover: changing(async ({ page }, wish) => (await elementOf(page, wish)).hover({ timeout: ACT_MS })),
  type: changing(async ({ page }, wish) => {
    const element = await elementOf(page, wish);
    await element.fill(needed(wish.text, "text"), { timeout: ACT_MS });
    if (wish.submit) await element.press("Enter", { timeout: ACT_MS, noWaitAfter: true });
  }),
  press: changing(async ({ page }, wish) =>
    wish.ref === undefined
      ? page.keyboard.press(needed(wish.key, "key"))
      : (await elementOf(page, wish)).press(needed(wish.key, "key"), { timeout: ACT_MS, noWaitAfter: true }),
  ),
  select: changing(async ({ page }, wish) =>
    (await elementOf(page, wish)).selectOption([...needed(wish.values, "values")], { timeout: ACT_MS }),
  ),
  scroll: changing(async ({ page }, wish) =>
    wish.ref === undefined
      ? page.mouse.wheel(0, 700)
      : (await elementOf(page, wish)).scrollIntoViewIfNeeded({ timeout: ACT_MS }),
  ),
  async wait({ page }, { text, ms = 5000 }) {
    const most = Math.min(ms, LOAD_MS);
    if (text === undefined) await page.waitForTimeout(most);
    else await page.getByText(text).first().waitFor({ timeout: most });
    return nothing;
  },
  async snapshot({ page }, wish) {
    return shown(page, wish.ref === undefined ? undefined : await elementOf(page, wish));
  },
  async screenshot({ page }, wish) {
    const options = { type: "png", timeout: ACT_MS } as const;
    const image = await (wish.ref === undefined
      ? page.screenshot({ ...options, fullPage: wish.fullPage ?? false })
      : (await elementOf(page, wish)).screenshot(options));
    return { notes: [], image };
  },
  async evaluate({ page }, { script }) {
    const value: unknown = await page.evaluate(needed(script, "script"));
    return { notes: [], text: (JSON.stringify(value, null, 2) ?? "undefined").slice(0, VALUE_CHARS) };
  },
  async upload(tab, wish) {
    const files = needed(wish.files, "path").map(({ name, data }) => ({
      name,
      mimeType: "",
      buffer: Buffer.from(data),
    }));
    if (wish.ref !== undefined) await (await elementOf(tab.page, wish)).setInputFiles(files, { timeout: ACT_MS });
    else if (tab.chooser) await tab.chooser.setFiles(files, { timeout: ACT_MS });
    else fail("invalid_input", "No page is waiting for a file.", "Name the file field by its ref.");
    tab.chooser = undefined;
    return nothing;
  },
  async download(tab, wish, { downloads }) {
    const download = await downloadOf(tab, wish);
    const data = await downloads.take(download);
    return { notes: [], download: { name: fileName(download.suggestedFilename()), data } };
  },
  async dialog(tab, { accept = false, text }) {
    tab.answer = { accept, ...(text === undefined ? {} : { text }) };
    return { notes: [`The next dialog of this page will be ${accept ? "accepted" : "dismissed"}.`] };
  },
  console: async ({ console }) => ({
    notes: console.length === 0 ? ["The console is empty."] : [],
    ...textOf(console),
  }),
  network: async ({ network }) => ({
    notes: network.length === 0 ? ["There were no requests."] : [],
    ...textOf(network),
  }),
  tabs: async (_, __, { tabs }) => ({ notes: [], tabs: await tabs() }),
  async close({ page, id }) {
    await page.close();
    return { notes: [`The tab ${id} was closed.`] };
  },
  stop: async () => nothing,
};

const textOf = (lines: readonly string[]) => (lines.length === 0 ? {} : { text: lines.join("\n") });

/** A page that is refused or does not answer leads to one of the browser's own error pages. That is an error. */
async function goTo(tab: Tab, url: string): Promise<void> {
  const count = tab.notes.length;
  const load = async (tries: number): Promise<Response | null> => {
    try {
      return await loaded(tab.page, url);
    } catch (thrown) {
      // It started a download, or was stopped on its way to another host; see the notes.
      if (tab.notes.length > count || /Download is starting/.test(String(thrown))) return null;
      if (tries === 1 || !/interrupted by another navigation/.test(String(thrown))) throw thrown;
      // The page before was still on its way.
      await departed(tab);
      return load(tries - 1);
    }
  };
  const answer = await load(LOAD_TRIES);
  // The proxy answers so for a plain HTTP address that it refuses, and the browser shows the answer as a page.
  if (answer?.headers()["x-haft-refused"])
    // The browser may have dropped the answer by now.
    fail(
      "fetch_failed",
      (await answer.text().catch(() => "")).trim() || `${url} leads to a host that is closed.`,
      "Check the address. The user can open a private host with web.privateHosts.",
    );
  if (answer && answer.status() >= 400) tab.notes.push(`The server answered with status ${answer.status()}.`);
}

/** Loads an address. After a failure the browser shows a page of its own, which would interrupt the next load. */
async function loaded(page: Page, url: string): Promise<Response | null> {
  const { promise: isShown, resolve } = Promise.withResolvers<void>();
  const hear = (frame: Frame): void => void (frame.url().startsWith("chrome-error:") && resolve());
  page.on("framenavigated", hear);
  try {
    return await page.goto(url, { timeout: LOAD_MS, waitUntil: "domcontentloaded" });
  } catch (thrown) {
    if (/net::ERR_/.test(String(thrown))) await Promise.race([isShown, delay(FRAME_MS)]);
    throw thrown;
  } finally {
    page.off("framenavigated", hear);
  }
}

/** Waits while the tab is on its way to another page. */
async function departed(tab: Tab): Promise<void> {
  for (const end = Date.now() + SETTLE_MS; tab.isLeaving() && !tab.page.isClosed() && Date.now() < end; )
    await delay(STEP_MS);
}

/** Waits until the result of an action shows, and while the tab is on its way to another page. */
async function settle(tab: Tab, before: string, departureMs: number): Promise<void> {
  const { page } = tab;
  const shown = page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))").catch(() => {});
  await Promise.race([shown, delay(FRAME_MS)]);
  const isHere = () => !tab.isLeaving() && tab.address() === before && !page.isClosed();
  for (const end = Date.now() + departureMs; isHere() && Date.now() < end; ) await delay(STEP_MS);
  await departed(tab);
  if (!page.isClosed()) await page.waitForLoadState("domcontentloaded", { timeout: SETTLE_MS }).catch(() => {});
}

async function shown(page: Page, element?: Locator): Promise<Done> {
  const text = await snapshot(page, element);
  return text.trim() === "" ? { notes: [BLANK] } : { notes: [], text };
}

const BLANK =
  'Nothing on it has a text. Look at it with {"action": "screenshot"}; WebFetch reads PDFs and other files.';

async function snapshot(page: Page, element?: Locator): Promise<string> {
  const whole = await (element ?? page).ariaSnapshot({ mode: "ai", timeout: ACT_MS });
  if (whole.length <= SNAPSHOT_CHARS) return whole;
  return `${whole.slice(0, SNAPSHOT_CHARS)}\n… (${grouped(whole.length - SNAPSHOT_CHARS)} further characters: take a snapshot of one element by its ref)`;
}

/** The element of a reference. It must exist now: there is no wait for one that has gone. */
async function elementOf(page: Page, { ref }: BrowserWish): Promise<Locator> {
  const name = needed(ref, "ref").replace(/^\[?ref=|\]$/g, "");
  const element = page.getByRef(name);
  if ((await element.count().catch(() => 0)) === 0)
    fail(
      "invalid_input",
      `The page has no element ${JSON.stringify(name)} now.`,
      'Take a new one: {"action": "snapshot"}.',
    );
  return element;
}

function needed<T>(value: T | undefined, name: string): T {
  return value ?? fail("invalid_input", `This action needs "${name}".`);
}

async function downloadOf(tab: Tab, wish: BrowserWish): Promise<Download> {
  if (wish.ref === undefined)
    return (
      tab.downloads.pop() ??
      fail("invalid_input", "The page has offered no file.", "Give the ref of the element that starts the download.")
    );
  // Before the wait begins: nobody would hear that it ends.
  const element = await elementOf(tab.page, wish);
  const [download] = await Promise.all([
    tab.page.waitForEvent("download", { timeout: LOAD_MS }),
    element.click({ timeout: ACT_MS, noWaitAfter: true }),
  ]);
  const place = tab.downloads.indexOf(download);
  if (place >= 0) tab.downloads.splice(place, 1);
  tab.notes.length = 0;
  return download;
}

/** Shortens the driver's long error to one line with a cure. */
function problemOf(thrown: unknown, { action, ref, url, text }: BrowserWish): unknown {
  if (HaftError.is(thrown)) return thrown;
  const [line = ""] = String(thrown instanceof Error ? thrown.message : thrown).split("\n");
  const isTimeout = /Timeout \d+ms exceeded/.test(line);
  if (isTimeout && url !== undefined)
    return new HaftError({
      code: "timeout",
      message: `${url} did not load within ${LOAD_MS / 1000} seconds.`,
      hint: 'The server may be slow, the page too large, or another page busy. Take a snapshot of what is there, end the browser ({"action": "stop"}) and try again, or use another source.',
    });
  if (isTimeout && action === "wait")
    return new HaftError({
      code: "timeout",
      message: `The text ${JSON.stringify(text)} did not appear.`,
      hint: 'See what is there with {"action": "snapshot"}, or wait longer with ms.',
    });
  if (isTimeout)
    return new HaftError({
      code: "timeout",
      message: `${action} did not finish${ref === undefined ? "" : `: the element ${ref} could not be reached`}.`,
      hint:
        ref === undefined
          ? 'The page may be busy with a script that does not end. Use another tab ({"action": "open", "url": …}), or end the browser ({"action": "stop"}).'
          : "It may be gone, hidden or covered. Take a new snapshot, or a screenshot.",
    });
  const why = /net::ERR_\w+/.exec(line)?.[0] ?? line.replace(/^\w+\.\w+: /, "").slice(0, 300);
  return new HaftError({
    code: url === undefined ? "execution_failed" : "fetch_failed",
    message: `${url ?? action}: ${REASONS[why] ?? why}`,
    hint: url === undefined ? "Take a new snapshot." : "Check the address.",
  });
}

const REASONS: Readonly<Record<string, string>> = {
  "net::ERR_TUNNEL_CONNECTION_FAILED":
    "the host is closed or does not answer (private networks are closed; the user can open a host with web.privateHosts).",
  "net::ERR_TOO_MANY_REDIRECTS": "it redirects in a loop.",
  "net::ERR_ABORTED": "the server sent no page.",
  "net::ERR_INVALID_AUTH_CREDENTIALS": "it asks for a user name and password, which the browser does not have.",
  "net::ERR_UNSAFE_REDIRECT": "it redirects to an address that is not a web address.",
  "net::ERR_BLOCKED_BY_CLIENT": "it leads to another host, and was stopped.",
  "net::ERR_CERT_AUTHORITY_INVALID": "its certificate cannot be trusted.",
};
