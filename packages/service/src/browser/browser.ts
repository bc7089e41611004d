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
import type { Downloads } from "./downloads.ts";
import { type LaunchOptions, launch, NOWHERE, type Running } from "./launch.ts";
import { goElsewhere, openTab, type Tab } from "./tab.ts";

/** Most tabs that a session may have open; any further tab that a page opens is closed. */
const MOST_TABS = 10;

/** A session's browser, with a way to close it. */
export interface SessionBrowser extends Browser {
  close(): Promise<void>;
}

/** A browser that starts at its first request and ends with the session. */
export const createBrowser = (options: LaunchOptions): SessionBrowser => new ChromiumTabs(options);

class ChromiumTabs implements SessionBrowser {
  readonly #options: LaunchOptions;
  readonly #tabs = new Map<string, Tab>();
  #running: Promise<Running> | undefined;
  #downloads: Downloads | undefined;
  #current = "";
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** Bounds for requests of pages that have no tab yet, such as a popup that is just being opened. */
  #within: (hop: NetHop) => boolean = () => false;
  readonly #notes: string[] = [];
  /** Whether we are opening the next tab ourselves. */
  #isOpening = false;

  constructor(options: LaunchOptions) {
    this.#options = options;
  }

  where(id?: string): BrowserTab | undefined {
    const tab = this.#tabs.get(id ?? this.#current);
    return tab && { id: tab.id, url: tab.address(), title: "", isCurrent: tab.id === this.#current };
  }

  act(wish: BrowserWish, bounds: BrowserBounds): Promise<BrowserReply> {
    // Runs one request after the other: they share a keyboard.
    const next = this.#last.then(() => this.#perform(wish, bounds));
    this.#last = next.catch(() => {});
    return next;
  }

  async close(): Promise<void> {
    const ending = this.#running;
    this.#running = undefined;
    this.#tabs.clear();
    this.#current = "";
    await (await ending?.catch(() => undefined))?.close();
  }

  #adopt(page: Page): Tab | undefined {
    const known = [...this.#tabs.values()].find((tab) => tab.page === page);
    if (known) return known;
    if (this.#tabs.size >= MOST_TABS) {
      this.#notes.push(`A page opened more than ${MOST_TABS} tabs; the last one was closed.`);
      void page.close().catch(() => {});
      return undefined;
    }
    this.#count += 1;
    const tab = openTab(`t${this.#count}`, page, (download) => this.#downloads?.add(download));
    tab.begin(this.#within);
    this.#tabs.set(tab.id, tab);
    if (!this.#isOpening) this.#notes.push(`A page opened the tab ${tab.id}.`);
    page.once("close", () => {
      this.#tabs.delete(tab.id);
      if (this.#current === tab.id) this.#current = [...this.#tabs.keys()].at(-1) ?? "";
    });
    return tab;
  }

  async #gate(route: Route): Promise<void> {
    const request = route.request();
    if (request.isNavigationRequest()) {
      const tab = this.#tabOf(request);
      const isTop = tab === undefined || tab === "new" || isMain(request, tab.page);
      const isFree = tab instanceof Object ? tab.mayGo(request.url()) : this.#allows(request.url());
      if (isTop && !isFree) {
        (tab instanceof Object ? tab.notes : this.#notes).push(goElsewhere(request.url()));
        return route.abort("blockedbyclient");
      }
    }
    return route.continue();
  }

  #allows(address: string): boolean {
    const url = URL.parse(address);
    return url !== null && /^https?:$/.test(url.protocol) && this.#within({ url, sends: false });
  }

  #tabOf(request: ReturnType<Route["request"]>): Tab | "new" | undefined {
    try {
      return this.#adopt(request.frame().page());
    } catch {
      // A popup has no frame before its first answer.
      return "new";
    }
  }

  async #start(): Promise<Running> {
    const started = await launch(this.#options);
    const { context, downloads } = started;
    this.#downloads = downloads;
    context.on("close", () => {
      this.#running = undefined;
      this.#tabs.clear();
      this.#current = "";
    });
    await context.route("**/*", (route) => this.#gate(route).catch(() => {}));
    this.#isOpening = true;
    for (const page of context.pages()) this.#adopt(page);
    this.#isOpening = false;
    context.on("page", (page) => void this.#adopt(page));
    this.#current = [...this.#tabs.keys()][0] ?? "";
    return started;
  }

  async #newTab(context: Running["context"]): Promise<Tab | undefined> {
    this.#isOpening = true;
    try {
      return this.#adopt(await context.newPage());
    } finally {
      this.#isOpening = false;
    }
  }

  async #tabFor({ action, tab }: BrowserWish, context: Running["context"]): Promise<Tab> {
    if (action === "open") {
      const opened = await this.#newTab(context);
      if (opened) return opened;
      return fail("limit_reached", `There are ${MOST_TABS} tabs.`, 'Close one: {"action": "close", "tab": …}.');
    }
    const wanted = tab ?? this.#current;
    const found = this.#tabs.get(wanted);
    if (found && !(found.crashed && action === "navigate")) return found;
    if (found) {
      // A crashed page loads nothing any more.
      this.#notes.push(`The tab ${found.id} had crashed and was closed.`);
      await found.page.close().catch(() => {});
    } else if (tab !== undefined)
      return fail("invalid_input", `There is no tab ${tab}.`, `Tabs: ${[...this.#tabs.keys()].join(", ") || "none"}.`);
    return (await this.#newTab(context)) ?? fail("limit_reached", "There are too many tabs.");
  }

  async #perform(wish: BrowserWish, bounds: BrowserBounds): Promise<BrowserReply> {
    bounds.signal.throwIfAborted();
    if (wish.action === "stop") {
      await this.close();
      return { notes: ["The browser was ended."] };
    }
    if (!this.#running && !STARTS.has(wish.action))
      return fail("invalid_input", "No page is open.", 'Open one: {"action": "navigate", "url": …}.');
    this.#running ??= this.#start().catch((thrown: unknown) => {
      this.#running = undefined;
      throw thrown;
    });
    const { context, proxy, downloads } = await this.#running;
    const tab = await this.#tabFor(wish, context);
    // A page that is already open stays on its host. This call granted any further hosts.
    this.#within = bounds.within ?? (() => true);
    tab.begin(this.#within);
    this.#current = tab.id;
    const refusedBefore = new Set(proxy.refused().keys());
    try {
      const reply = await orEnd(act(tab, wish, { downloads, tabs: () => this.#viewAll() }), context, bounds.signal);
      const refused = [...proxy.refused()]
        .filter(([host]) => !refusedBefore.has(host) && !host.startsWith(NOWHERE))
        .map(([, why]) => `A request of the page was refused: ${why}`);
      const isOpen = this.#tabs.has(tab.id);
      return {
        ...(isOpen ? { tab: await tab.view(true) } : {}),
        ...reply,
        notes: [...reply.notes, ...tab.notes.splice(0), ...this.#notes.splice(0), ...refused.slice(0, 5)],
      };
    } finally {
      tab.begin(() => false);
      this.#within = () => false;
    }
  }

  #viewAll(): Promise<BrowserTab[]> {
    return Promise.all([...this.#tabs.values()].map((tab) => tab.view(tab.id === this.#current)));
  }
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
        message: "The browser ended during this action.",
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
