/** A browser of the session: a profile of its own, every request of its pages through the guarded network. */

import type { NetHop } from "./net.ts";

/** What a browser can be told. One flat shape, as some models need it. */
export interface BrowserWish {
  readonly action:
    | "navigate"
    | "back"
    | "forward"
    | "reload"
    | "snapshot"
    | "screenshot"
    | "click"
    | "hover"
    | "type"
    | "press"
    | "select"
    | "scroll"
    | "wait"
    | "evaluate"
    | "upload"
    | "download"
    | "dialog"
    | "console"
    | "network"
    | "tabs"
    | "open"
    | "close"
    | "stop";
  /** Which tab, by its name in `tabs`. Default: the last one used. */
  readonly tab?: string;
  readonly url?: string;
  /** An element, by its reference in the last snapshot. */
  readonly ref?: string;
  readonly text?: string;
  /** Press Enter behind the text. */
  readonly submit?: boolean;
  readonly key?: string;
  readonly values?: readonly string[];
  readonly script?: string;
  /** Bytes of files to upload, by name. */
  readonly files?: readonly { readonly name: string; readonly data: Uint8Array }[];
  /** What to answer a dialog: to accept it, with a text for a prompt. */
  readonly accept?: boolean;
  readonly fullPage?: boolean;
  /** Milliseconds that `wait` waits at most. */
  readonly ms?: number;
}

/** A tab as a list shows it. */
export interface BrowserTab {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** What came of a wish. */
export interface BrowserReply {
  readonly tab?: BrowserTab;
  /** What the page says, for the model: a stranger's words. */
  readonly text?: string;
  /** PNG. */
  readonly image?: Uint8Array;
  readonly tabs?: readonly BrowserTab[];
  /** A file that the page gave. */
  readonly download?: { readonly name: string; readonly data: Uint8Array };
  /** What happened beside it, in the host's words: a dialog, a popup, a refused request. */
  readonly notes: readonly string[];
}

/** The browser, where the host has one. */
export interface Browser {
  /** Where a tab stands now: what a wish for it may reach. */
  where(tab?: string): BrowserTab | undefined;
  /** Does something in a tab. Needs `connect` effects for the hosts that the tab may go to. */
  act(wish: BrowserWish, bounds: BrowserBounds): Promise<BrowserReply>;
}

/** What holds for one wish. */
export interface BrowserBounds {
  readonly signal: AbortSignal;
  /** Where the tab may go. It comes from the executor, never from a tool. */
  readonly within?: (hop: NetHop) => boolean;
}
