/** A browser of the session: a profile of its own, with every request of its pages through the guarded network. */

import type { NetHop } from "./net.ts";

/** An action for a browser. One flat shape, as some models need it. */
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
  /** The tab, by its name in `tabs`. Default: the last one used. */
  readonly tab?: string;
  readonly url?: string;
  /** An element, by its reference in the last snapshot. */
  readonly ref?: string;
  readonly text?: string;
  /** Press Enter after the text. */
  readonly submit?: boolean;
  readonly key?: string;
  readonly values?: readonly string[];
  readonly script?: string;
  /** Bytes of files to upload, by name. */
  readonly files?: readonly { readonly name: string; readonly data: Uint8Array }[];
  /** The answer to a dialog: whether to accept it, with a text for a prompt. */
  readonly accept?: boolean;
  readonly fullPage?: boolean;
  /** The timeout of `wait` in milliseconds. */
  readonly ms?: number;
}

/** A tab in a list of tabs. */
export interface BrowserTab {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** The result of an action. */
export interface BrowserReply {
  readonly tab?: BrowserTab;
  /** The text of the page, for the model: untrusted. */
  readonly text?: string;
  /** PNG. */
  readonly image?: Uint8Array;
  readonly tabs?: readonly BrowserTab[];
  /** A file that the page offered. */
  readonly download?: { readonly name: string; readonly data: Uint8Array };
  /** Other events, in the host's words: a dialog, a popup, a refused request. */
  readonly notes: readonly string[];
}

/** The browser, where the host has one. */
export interface Browser {
  /** It runs on another machine, which judges addresses by its own settings. */
  readonly isElsewhere?: true;
  /** The current location of a tab, which an action in it may reach. */
  where(tab?: string): BrowserTab | undefined;
  /** Does something in a tab. Needs `connect` effects for the hosts that the tab may go to. */
  act(wish: BrowserWish, bounds: BrowserBounds): Promise<BrowserReply>;
}

/** The bounds of one action. */
export interface BrowserBounds {
  readonly signal: AbortSignal;
  /** The hosts that the tab may visit. It comes from the executor, never from a tool. */
  readonly within?: (hop: NetHop) => boolean;
}
