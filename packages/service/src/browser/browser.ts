import {
  type Browser,
  type BrowserBounds,
  type BrowserReply,
  type BrowserTab,
  type BrowserWish,
  fail,
  HaftError,
  type NetHop,
} from "@haft/core/tool";
import type { Page, Route } from "playwright-core";
import { act } from "./act.ts";
import { type LaunchOptions, launch, NOWHERE, type Running } from "./launch.ts";
import { goElsewhere, openTab, type Tab } from "./tab.ts";

/** Most tabs that a session may have open; any further tab that a page opens is closed. */
const MOST_TABS = 10;

/** A session's browser, with a way to close it. */
export interface SessionBrowser extends Browser {
  close(): Promise<void>;
}

/** A browser that starts at its first request and ends with the session. */
export function createBrowser(options: LaunchOptions): SessionBrowser {
  const tabs = new Map<string, Tab>();
  let running: Promise<Running> | undefined;
  let current = "";
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Bounds for requests of pages that have no tab yet, such as a popup that is just being opened. */
  let within: (hop: NetHop) => boolean = () => false;
  const notes: string[] = [];
  /** Whether we are opening the next tab ourselves. */
  let isOpening = false;

  function adopt(page: Page): Tab | undefined {
    const known = [...tabs.values()].find((tab) => tab.page === page);
    if (known) return known;
    if (tabs.size >= MOST_TABS) {
      notes.push(`A page opened more than ${MOST_TABS} tabs; the last one was closed.`);
      void page.close().catch(() => {});
      return undefined;
    }
    count += 1;
    const tab = openTab(`t${count}`, page);
    tab.begin(within);
    tabs.set(tab.id, tab);
    if (!isOpening) notes.push(`A page opened the tab ${tab.id}.`);
    page.once("close", () => {
      tabs.delete(tab.id);
      if (current === tab.id) current = [...tabs.keys()].at(-1) ?? "";
    });
    return tab;
  }

  async function gate(route: Route): Promise<void> {
    const request = route.request();
    if (request.isNavigationRequest()) {
      const tab = tabOf(request);
      const isTop = tab === undefined || tab === "new" || isMain(request, tab.page);
      const isFree = tab instanceof Object ? tab.mayGo(request.url()) : allows(request.url());
      if (isTop && !isFree) {
        (tab instanceof Object ? tab.notes : notes).push(goElsewhere(request.url()));
        return route.abort("blockedbyclient");
      }
    }
    return route.continue();
  }

  const allows = (address: string): boolean => {
    const url = URL.parse(address);
    return url !== null && /^https?:$/.test(url.protocol) && within({ url, sends: false });
  };

  function tabOf(request: ReturnType<Route["request"]>): Tab | "new" | undefined {
    try {
      return adopt(request.frame().page());
    } catch {
      // A popup has no frame before its first answer.
      return "new";
    }
  }

  async function start(): Promise<Running> {
    const started = await launch(options);
    const { context } = started;
    context.on("close", () => {
      running = undefined;
      tabs.clear();
      current = "";
    });
    await context.route("**/*", (route) => gate(route).catch(() => {}));
    isOpening = true;
    for (const page of context.pages()) adopt(page);
    isOpening = false;
    context.on("page", (page) => void adopt(page));
    current = [...tabs.keys()][0] ?? "";
    return started;
  }

  async function newTab(context: Running["context"]): Promise<Tab | undefined> {
    isOpening = true;
    try {
      return adopt(await context.newPage());
    } finally {
      isOpening = false;
    }
  }

  async function tabFor({ action, tab }: BrowserWish, context: Running["context"]): Promise<Tab> {
    if (action === "open") {
      const opened = await newTab(context);
      if (opened) return opened;
      return fail("limit_reached", `There are ${MOST_TABS} tabs.`, 'Close one: {"action": "close", "tab": …}.');
    }
    const wanted = tab ?? current;
    const found = tabs.get(wanted);
    if (found) return found;
    if (tab !== undefined)
      return fail("invalid_input", `There is no tab ${tab}.`, `Tabs: ${[...tabs.keys()].join(", ") || "none"}.`);
    return (await newTab(context)) ?? fail("limit_reached", "There are too many tabs.");
  }

  async function perform(wish: BrowserWish, bounds: BrowserBounds): Promise<BrowserReply> {
    bounds.signal.throwIfAborted();
    if (wish.action === "stop") {
      await close();
      return { notes: ["The browser was ended."] };
    }
    if (!running && !STARTS.has(wish.action))
      return fail("invalid_input", "No page is open.", 'Open one: {"action": "navigate", "url": …}.');
    running ??= start().catch((thrown: unknown) => {
      running = undefined;
      throw thrown;
    });
    const { context, proxy } = await running;
    const tab = await tabFor(wish, context);
    // A page that is already open stays on its host. This call granted any further hosts.
    within = bounds.within ?? (() => true);
    tab.begin(within);
    current = tab.id;
    const refusedBefore = new Set(proxy.refused().keys());
    try {
      const reply = await orEnd(
        act(tab, wish, () => viewAll()),
        context,
        bounds.signal,
      );
      const refused = [...proxy.refused()]
        .filter(([host]) => !refusedBefore.has(host) && !host.startsWith(NOWHERE))
        .map(([, why]) => `A request of the page was refused: ${why}`);
      const isOpen = tabs.has(tab.id);
      return {
        ...(isOpen ? { tab: await tab.view(true) } : {}),
        ...reply,
        notes: [...reply.notes, ...tab.notes.splice(0), ...notes.splice(0), ...refused.slice(0, 5)],
      };
    } finally {
      tab.begin(() => false);
      within = () => false;
    }
  }

  const viewAll = (): Promise<BrowserTab[]> =>
    Promise.all([...tabs.values()].map((tab) => tab.view(tab.id === current)));

  async function close(): Promise<void> {
    const ending = running;
    running = undefined;
    tabs.clear();
    current = "";
    await (await ending?.catch(() => undefined))?.close();
  }

  return {
    where(id) {
      const tab = tabs.get(id ?? current);
      return tab && { id: tab.id, url: tab.address(), title: "", isCurrent: tab.id === current };
    },
    act(wish, bounds) {
      // Runs one request after the other: they share a keyboard.
      const next = last.then(() => perform(wish, bounds));
      last = next.catch(() => {});
      return next;
    },
    close,
  };
}

const STARTS: ReadonlySet<string> = new Set(["navigate", "open", "tabs"]);

function isMain(request: ReturnType<Route["request"]>, page: Page): boolean {
  try {
    return request.frame() === page.mainFrame();
  } catch {
    return true;
  }
}

/** The result of the work. Ends earlier when the call is cancelled, or when the browser closes meanwhile. */
async function orEnd<T>(work: Promise<T>, context: Running["context"], signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  const gone = () =>
    reject(
      new HaftError({
        code: "execution_failed",
        message: "The browser ended in the middle of it.",
        hint: "Navigate again: a new one starts.",
      }),
    );
  signal.addEventListener("abort", abort, { once: true });
  context.once("close", gone);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    context.off("close", gone);
  }
}
