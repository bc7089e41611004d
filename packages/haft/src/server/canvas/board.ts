import { randomUUID } from "node:crypto";
import { type Canvas, type CanvasContent, type CanvasSnapshot, fail } from "@haft/core/tool";
import type { AgentSession } from "../../session/index.ts";
import { type CallPages, showAppCalls } from "./app-calls.ts";
import { readApp } from "./app-resource.ts";
import type { CanvasPage, CanvasQuestion, CanvasState, PageAnswer, PageDomains, ShownCall } from "./canvas-state.ts";

/** A console page that shows the canvas. */
export interface CanvasScreen {
  showState(session: string, state: CanvasState): void;
  showCall(session: string, version: number, call: ShownCall): void;
  ask(session: string, question: CanvasQuestion): void;
}

/** How a person finds the canvas. */
export interface CanvasPlace {
  /** The address of a session's panel, in words for the agent. */
  link(session: string): string;
  /** A page is there, and no console shows it. */
  onUnseen?(): void;
}

/** Milliseconds that a page may take to load or answer. */
const ANSWER_MS = 15_000;
const MOST_CHARS = 60_000;
const MOST_NOTES = 20;
/** Most A2UI messages on one canvas. */
const MOST_MESSAGES = 5_000;

const EMPTY: CanvasState = { version: 0, title: "", isHidden: true, domains: {} };

interface Waiting {
  readonly screen: CanvasScreen;
  readonly version: number;
  settle(answer: PageAnswer): void;
  /** Ends the question without an answer of the page, for the reason that it throws. */
  refuse(why: () => never): void;
}

/** The canvas of one session: its content, and the consoles that show it. */
export class CanvasBoard implements Canvas, CallPages {
  readonly #place: CanvasPlace;
  /** The consoles, each with the version of the page whose panel the person has closed there. */
  readonly #screens = new Map<CanvasScreen, number | undefined>();
  readonly #waiting = new Map<string, Waiting>();
  #agent: AgentSession | undefined;
  #state = EMPTY;
  /** The latest call whose tool has a page. */
  #call: ShownCall | undefined;
  /** Texts that an app wants the model to know: `ui/update-model-context`. */
  context: string | undefined;

  constructor(place: CanvasPlace) {
    this.#place = place;
  }

  get state(): CanvasState {
    return this.#state;
  }

  /** Binds the board to its session, which was opened with it. */
  attach(agent: AgentSession): void {
    this.#agent = agent;
    showAppCalls(agent, this);
  }

  /** Adds a console that shows the canvas. Returns a function that removes it. */
  addScreen(screen: CanvasScreen): () => void {
    this.#screens.set(screen, undefined);
    screen.showState(this.#id, this.#state);
    return () => {
      this.#screens.delete(screen);
      for (const { screen: asked, refuse } of [...this.#waiting.values()]) if (asked === screen) refuse(consoleClosed);
    };
  }

  /** The person has closed the panel that shows this version of the page. */
  closePanel(screen: CanvasScreen, version: number): void {
    if (!this.#screens.has(screen)) return;
    this.#screens.set(screen, version);
    for (const waiting of [...this.#waiting.values()])
      if (waiting.screen === screen && waiting.version === version) waiting.refuse(closedByUser);
  }

  /** Takes the answer of a page. A screen that was not asked changes nothing. */
  answer(screen: CanvasScreen, id: string, answer: PageAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting?.screen === screen) waiting.settle(answer);
  }

  async show(title: string, content: CanvasContent, signal: AbortSignal): Promise<CanvasSnapshot> {
    if (content.kind === "app") {
      const { text, domains } = await readApp(this.#session(), content.server, content.uri, signal);
      return this.#replace(title, { ...content, text }, domains, signal);
    }
    const domains = content.kind === "address" ? { frameDomains: [new URL(content.url).origin] } : {};
    return this.#replace(title, content, domains, signal);
  }

  /** Shows the page that a tool names for its calls, and tells it of this call. A failure is shown in place of the page. */
  async openFor(call: ShownCall, server: string, uri: string): Promise<void> {
    this.#call = call;
    const title = call.tool.title ?? call.tool.name;
    const found = await readApp(this.#session(), server, uri, AbortSignal.timeout(ANSWER_MS)).catch(
      (thrown: Error) => thrown,
    );
    // Another call has taken its place meanwhile, or this one has ended.
    if (this.#call?.id !== call.id) return;
    const version = this.#state.version + 1;
    this.context = undefined;
    if (found instanceof Error)
      this.#set({
        version,
        title,
        isHidden: false,
        domains: {},
        fault: `The page of ${server} cannot be shown: ${found.message}`,
      });
    else {
      const { text, domains } = found;
      this.#set({
        version,
        title,
        isHidden: false,
        page: { kind: "app", text, server, uri },
        call: this.#call,
        domains,
      });
    }
  }

  /** Tells the page how its call has ended. */
  endCall(id: string, end: Pick<ShownCall, "result" | "cancelled">): void {
    if (this.#call?.id !== id) return;
    this.#call = { ...this.#call, ...end };
    if (this.#state.call?.id !== id) return;
    this.#state = { ...this.#state, call: this.#call };
    for (const screen of this.#screens.keys()) screen.showCall(this.#id, this.#state.version, this.#call);
  }

  push(messages: readonly object[], signal: AbortSignal): Promise<CanvasSnapshot> {
    const { page, title, version } = this.#state;
    const before = page?.kind === "a2ui" ? page.messages : [];
    const all = [...before, ...messages];
    if (all.length > MOST_MESSAGES)
      fail("limit_reached", `The canvas holds ${MOST_MESSAGES} A2UI messages at most.`, "reset empties it.");
    const isNew = page?.kind !== "a2ui";
    return this.#change(
      {
        version: isNew ? version + 1 : version,
        title: isNew ? "Interface" : title,
        isHidden: false,
        page: { kind: "a2ui", messages: all },
        domains: {},
      },
      signal,
    );
  }

  hide(): void {
    this.#set({ ...this.#state, isHidden: true });
  }

  reset(): void {
    this.context = undefined;
    this.#set({ ...EMPTY, version: this.#state.version + 1 });
  }

  evaluate(script: string, signal: AbortSignal): Promise<CanvasSnapshot> {
    this.#requireReadable();
    return this.#ask({ method: "eval", script }, signal);
  }

  async snapshot(signal: AbortSignal): Promise<CanvasSnapshot> {
    this.#requireReadable();
    const snapshot = await this.#ask({ method: "snapshot" }, signal);
    return this.context === undefined ? snapshot : { ...snapshot, text: `${snapshot.text}\n\n${this.context}` };
  }

  get #id(): string {
    return this.#agent?.id ?? "";
  }

  #session(): AgentSession {
    return this.#agent ?? fail("tool_unavailable", "The session is not open yet.", "Try again.");
  }

  #replace(title: string, page: CanvasPage, domains: PageDomains, signal: AbortSignal): Promise<CanvasSnapshot> {
    this.context = undefined;
    return this.#change({ version: this.#state.version + 1, title, isHidden: false, page, domains }, signal);
  }

  #change(next: CanvasState, signal: AbortSignal): Promise<CanvasSnapshot> {
    this.#set(next);
    return this.#ask({ method: "ready" }, signal);
  }

  #set(next: CanvasState): void {
    this.#state = next;
    for (const screen of this.#screens.keys()) screen.showState(this.#id, next);
    if (this.#screens.size === 0 && !next.isHidden) this.#place.onUnseen?.();
  }

  #requireReadable(): void {
    const { page, isHidden } = this.#state;
    if (page && isHidden) fail("tool_unavailable", "The canvas is hidden.", "present shows content.");
    if (!page) fail("tool_unavailable", this.#state.fault ?? "The canvas is empty.", "present shows content.");
    if (page?.kind === "address")
      fail("tool_unavailable", `The canvas shows ${page.url}, which only the user sees.`, "Use WebBrowser to read it.");
  }

  /** Asks the console that opened the canvas last. */
  async #ask(question: Pick<CanvasQuestion, "method" | "script">, signal: AbortSignal): Promise<CanvasSnapshot> {
    if (this.#screens.size === 0) return this.#nobody();
    const { version, title } = this.#state;
    const [screen] = [...this.#screens].findLast(([, closed]) => closed !== version) ?? closedByUser();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<PageAnswer>();
    const refuse = (why: () => never): void => void Promise.resolve().then(why).catch(reject);
    this.#waiting.set(id, { screen, version, settle: resolve, refuse });
    const late = setTimeout(() => resolve({ error: "The page did not answer in 15 seconds." }), ANSWER_MS);
    const cancel = (): void => resolve({ error: "The call was cancelled." });
    signal.addEventListener("abort", cancel, { once: true });
    try {
      screen.ask(this.#id, { id, version, ...question });
      return this.#snapshotOf(await promise, title);
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", cancel);
      this.#waiting.delete(id);
    }
  }

  #nobody(): never {
    return fail(
      "tool_unavailable",
      "No web console shows this session, so the user cannot see the canvas.",
      `Tell the user to open ${this.#place.link(this.#id)} and try again. Presented content appears there.`,
    );
  }

  #snapshotOf({ text = "", title: said, notes = [], error }: PageAnswer, title: string): CanvasSnapshot {
    if (error !== undefined) fail("execution_failed", `The page failed: ${error.slice(0, 2_000)}`, "Fix the page.");
    const { page } = this.#state;
    const isCut = text.length > MOST_CHARS;
    return {
      title: title || said || "",
      text: isCut ? `${text.slice(0, MOST_CHARS)}\n[Cut: ${text.length} characters in all.]` : text,
      notes: notes.slice(0, MOST_NOTES).map((note) => note.slice(0, 500)),
      ...(page?.kind === "app" ? { server: page.server } : {}),
    };
  }
}

const consoleClosed = (): never =>
  fail("tool_unavailable", "The console that showed the canvas was closed.", "Try again: another console may show it.");

const closedByUser = (): never =>
  fail(
    "tool_unavailable",
    "The user has closed the canvas.",
    "present shows a page again (for A2UI: reset, then push). Do so only if the user wants to see it.",
  );
