import { setTimeout as delay } from "node:timers/promises";
import type { BrowserTab, NetHop } from "@haft/core/tool";
import type { ConsoleMessage, Dialog, Download, FileChooser, Page, Request } from "playwright-core";

/** Lines of console and network output that are kept for each tab. */
const KEPT_LINES = 100;
/** Milliseconds in which a page that is not busy gives its title. */
const TITLE_MS = 2_000;
/** Most dialogs that a page may open during one action; after that the page is closed. */
const MOST_DIALOGS = 10;

/** The answer to a page's next dialog. */
interface DialogAnswer {
  readonly accept: boolean;
  readonly text?: string;
}

/** One tab and its events. */
export interface Tab {
  readonly id: string;
  readonly page: Page;
  readonly console: readonly string[];
  readonly network: readonly string[];
  readonly downloads: Download[];
  chooser: FileChooser | undefined;
  /** How the next dialog is answered. Default: alerts are accepted, and the wish to stay of a page that is left; others are dismissed. */
  answer: DialogAnswer | undefined;
  /** Events since the last report. */
  readonly notes: string[];
  /** The requests that it may make. Set for each action; between actions, only its current host. */
  within: (hop: NetHop) => boolean;
  crashed: boolean;
  /** Why it was closed, if that was for its behavior. */
  expelled: string | undefined;
  /** Resolves when it and the pages that it opened are closed. */
  closing: Promise<void> | undefined;
  /** Whether it is navigating to another page. */
  isLeaving(): boolean;
  /** Leaves a page that the tab reached but may not visit. */
  leaveForbidden(): Promise<void>;
  mayGo(address: string): boolean;
  view(isCurrent: boolean): Promise<BrowserTab>;
  address(): string;
  begin(within: Tab["within"]): void;
}

/** Tracks a page from its creation. */
export function openTab(id: string, page: Page, onDownload: (download: Download) => void): Tab {
  const console: string[] = [];
  const network: string[] = [];
  const notes: string[] = [];
  const dialogs = { shown: 0 };
  /** The last allowed address. */
  let home = "about:blank";
  const leaving = new Set<Request>();

  const note = (text: string): void => {
    if (notes.length < 20 && !notes.includes(text)) notes.push(text);
  };
  const tab: Tab = {
    ...{ id, page, console, network, notes },
    downloads: [],
    chooser: undefined,
    answer: undefined,
    within: () => false,
    crashed: false,
    expelled: undefined,
    closing: undefined,
    address: () => page.url(),
    mayGo(address) {
      const url = URL.parse(address);
      if (!url) return false;
      if (url.protocol === "about:") return true;
      if (url.protocol !== "http:" && url.protocol !== "https:") return false;
      return (
        URL.parse(home)?.host === url.host || tab.within({ url, sends: true }) || tab.within({ url, sends: false })
      );
    },
    isLeaving: () => leaving.size > 0,
    async leaveForbidden() {
      const address = page.url();
      if (tab.mayGo(address) || isInner(address)) return;
      note(goElsewhere(address));
      await page.goto("about:blank").catch(() => {});
    },
    async view(isCurrent) {
      const title =
        tab.crashed || page.isClosed() ? "" : await Promise.race([page.title().catch(() => ""), delay(TITLE_MS, "")]);
      return { id, url: page.url(), title, isCurrent };
    },
    begin(within) {
      tab.within = within;
      dialogs.shown = 0;
    },
  };

  recordTraffic(page, console, network);
  watchOffers(page, tab, note, { dialogs, onDownload });
  page.on("request", (request: Request) => {
    if (isOfTab(request, page)) leaving.add(request);
  });
  page.on("requestfailed", (request: Request) => leaving.delete(request));
  page.on("framenavigated", (frame) => {
    if (frame !== page.mainFrame()) return;
    leaving.clear();
    if (tab.mayGo(frame.url())) home = frame.url();
    else void tab.leaveForbidden();
  });
  return tab;
}

/** Records what the page logs, and its requests. */
function recordTraffic(page: Page, console: string[], network: string[]): void {
  page.on("console", (message: ConsoleMessage) => keep(console, `${message.type()}: ${message.text().slice(0, 500)}`));
  page.on("pageerror", (error: Error) => keep(console, `uncaught: ${error.message.slice(0, 500)}`));
  page.on("requestfinished", (request: Request) => {
    void request.response().then(
      (response) => keep(network, lineOf(request, String(response?.status() ?? ""))),
      () => {},
    );
  });
  page.on("requestfailed", (request: Request) =>
    keep(network, lineOf(request, request.failure()?.errorText ?? "failed")),
  );
}

/** Notes what the page wants from its user: files, dialogs; and its crash. */
function watchOffers(
  page: Page,
  tab: Tab,
  note: (text: string) => void,
  { dialogs, onDownload }: { dialogs: { shown: number }; onDownload: (download: Download) => void },
): void {
  page.on("download", (download: Download) => {
    tab.downloads.push(download);
    onDownload(download);
    note(
      `The page offers a file, ${JSON.stringify(fileName(download.suggestedFilename()))}. Save it with {"action": "download", "path": …}.`,
    );
  });
  page.on("filechooser", (chooser: FileChooser) => {
    tab.chooser = chooser;
    note('The page asks for a file. Give it one with {"action": "upload", "path": …}.');
  });
  page.on("crash", () => {
    tab.crashed = true;
    note("The page crashed. Navigate again.");
  });
  page.on("dialog", (dialog: Dialog) => {
    dialogs.shown += 1;
    if (dialogs.shown > MOST_DIALOGS) {
      tab.expelled = `The page opened more than ${MOST_DIALOGS} dialogs and was closed, with the pages that it opened.`;
      void dialog.dismiss().catch(() => {});
      tab.closing = closeAll(page).catch(() => {});
      return;
    }
    const answer = tab.answer ?? { accept: ["alert", "beforeunload"].includes(dialog.type()) };
    tab.answer = undefined;
    note(
      `The page showed a dialog (${dialog.type()}): ${JSON.stringify(dialog.message().slice(0, 300))}. It was ${answer.accept ? "accepted" : "dismissed"}.`,
    );
    void (answer.accept ? dialog.accept(answer.text) : dialog.dismiss()).catch(() => {});
  });
}

/** Closes a page and the pages that it opened: they may share a process, which a script that does not end keeps busy. */
async function closeAll(page: Page): Promise<void> {
  const opened = await Promise.all(
    page
      .context()
      .pages()
      .map(async (one) => ((await one.opener()) === page ? [one] : [])),
  );
  await Promise.all([page.close({ runBeforeUnload: false }), ...opened.flat().map(closeAll)]);
}

/** Whether a request navigates a tab to another page. */
function isOfTab(request: Request, page: Page): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    return false;
  }
}

/** Pages that the browser generates itself. */
const isInner = (address: string): boolean => /^(?:about|chrome-error):/.test(address);

/** Message for a page that wants to leave for a host that nobody has allowed. */
export const goElsewhere = (address: string): string =>
  `The page wants to go to ${URL.parse(address)?.href ?? "an address that is none"}, another host, and was stopped. Navigate there if it is what you want.`;

function keep(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > KEPT_LINES) lines.shift();
}

const lineOf = (request: Request, end: string): string =>
  `${request.method()} ${request.url().slice(0, 300)} ${request.resourceType()} ${end}`;

/** The last part of a name that a page chose, without anything that could lead to another folder or hide the extension. */
export const fileName = (suggested: string): string =>
  suggested
    .normalize("NFKC")
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, "")
    .replace(/^\.+/, "")
    .slice(0, 150) || "download";
