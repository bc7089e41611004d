import type {
  CanvasQuestion,
  CanvasState,
  PageAnswer,
  ShownCall,
} from "../../../../haft/src/server/canvas/canvas-state.ts";
import { MessageBudget } from "../../../../haft/src/server/canvas/message-budget.ts";
import { onMessage, onOpen, send } from "../socket.ts";
import { Store } from "../store.ts";
import { htmlOf } from "./page-html.ts";

/** Something that a page wants to do in the person's name, or with `notice` cannot do. */
export interface Proposal {
  readonly kind: "message" | "link" | "notice";
  /** The sentence above the text. */
  readonly title: string;
  readonly text: string;
  answer(isAllowed: boolean): void;
}

interface PageMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly haft?: unknown;
  readonly answer?: PageAnswer;
}

/** Characters of one message of a page. */
const MOST_CHARS = 1_000_000;

/** The canvas of a session on this page: its state, and the frame that shows it. */
export class CanvasFollower {
  readonly state = new Store<CanvasState | undefined>(undefined);
  readonly proposal = new Store<Proposal | undefined>(undefined);
  /** The version of the page whose panel the person has closed. */
  readonly closed = new Store<number | undefined>(undefined);
  /** Why the page was stopped. */
  readonly fault = new Store<string | undefined>(undefined);
  readonly #id: string;
  readonly #stops: (() => void)[] = [];
  readonly #requests = new Map<string, unknown>();
  /** Questions that wait for a frame, and those that wait for an answer of the page. */
  #questions: CanvasQuestion[] = [];
  readonly #asked = new Set<string>();
  #frame: { readonly window: Window; readonly version: number; readonly budget: MessageBudget } | undefined;
  #isLoaded = false;
  /** The page has said that it listens to what the host tells it. */
  #isListening = false;
  /** The messages about its call that the page has received. */
  #told: "nothing" | "input" | "end" = "nothing";
  #count = 0;

  constructor(id: string) {
    this.#id = id;
  }

  /** Follows the canvas until `close`. Only one follower of a session may be open: the server knows the console, not its parts. */
  open(): void {
    const id = this.#id;
    this.#stops.push(
      onOpen(() => {
        send({ type: "canvas", session: id, isShown: true });
        this.#tellClosed();
      }),
      onMessage((message) => {
        if (message.type === "reply" && message.ref !== undefined) this.#reply(message.ref, message);
        if (message.session !== id) return;
        if (message.type === "canvas") this.#setState(message.state as CanvasState);
        if (message.type === "canvas-call") this.#setCall(message.version as number, message.call as ShownCall);
        if (message.type === "canvas-question") this.#ask(message.question as CanvasQuestion);
      }),
    );
  }

  /** Connects a frame that shows the present page. Returns a function that disconnects it. */
  attach(frame: HTMLIFrameElement, version: number): () => void {
    const own = { window: frame.contentWindow!, version, budget: new MessageBudget() };
    this.#frame = own;
    this.#isLoaded = false;
    this.fault.set(undefined);
    const hear = ({ source, data }: MessageEvent): void => {
      if (source === own.window && this.#frame === own) this.#hear(data as PageMessage);
    };
    addEventListener("message", hear);
    return () => {
      removeEventListener("message", hear);
      if (this.#frame === own) this.#drop();
    };
  }

  /** Closes the panel until another page comes. */
  closePanel(): void {
    this.closed.set(this.state.value?.version);
    this.#tellClosed();
  }

  #tellClosed(): void {
    const version = this.closed.value;
    if (version !== undefined) send({ type: "canvas-closed", session: this.#id, version });
  }

  close(): void {
    this.#drop();
    for (const stop of this.#stops.splice(0)) stop();
    send({ type: "canvas", session: this.#id, isShown: false });
  }

  #setState(state: CanvasState): void {
    const before = this.state.value;
    if (before?.version !== state.version) this.fault.set(undefined);
    this.state.set(state);
    if (this.#isLoaded && before?.version === state.version) this.#sendA2ui();
  }

  #setCall(version: number, call: ShownCall): void {
    const state = this.state.value;
    if (state?.version !== version) return;
    this.state.set({ ...state, call });
    this.#tellCall();
  }

  /** Tells the page of an MCP server the call that it was opened for: its input once, then its end. */
  #tellCall(): void {
    const { call } = this.state.value ?? {};
    if (!this.#isListening || !call) return;
    const tell = (name: string, params: object): void =>
      this.#post({ jsonrpc: "2.0", method: `ui/notifications/${name}`, params });
    if (this.#told === "nothing") {
      tell("tool-input", { arguments: call.input });
      this.#told = "input";
    }
    if (this.#told === "end" || (call.result === undefined && call.cancelled === undefined)) return;
    if (call.result === undefined) tell("tool-cancelled", { reason: call.cancelled });
    else tell("tool-result", call.result);
    this.#told = "end";
  }

  #drop(why = "The page was closed or replaced."): void {
    this.#frame = undefined;
    this.#isLoaded = false;
    this.#isListening = false;
    this.#told = "nothing";
    this.#requests.clear();
    this.proposal.set(undefined);
    for (const id of this.#asked) this.#answer(id, { error: why });
  }

  #stop(why: string): void {
    this.#drop(why);
    this.fault.set(why);
    for (const question of this.#questions.splice(0)) this.#answer(question.id, { error: why });
  }

  #ask(question: CanvasQuestion): void {
    const fault = this.fault.value;
    if (fault !== undefined) {
      this.#answer(question.id, { error: fault });
      return;
    }
    this.#questions.push(question);
    this.#flush();
  }

  #flush(): void {
    if (!this.#isLoaded || !this.#frame) return;
    const { version } = this.#frame;
    const { page } = this.state.value ?? {};
    const due = this.#questions.filter((question) => question.version === version);
    this.#questions = this.#questions.filter((question) => question.version > version);
    for (const { id, method, script } of due)
      if (page?.kind === "address") this.#answer(id, { title: page.url });
      else {
        this.#asked.add(id);
        this.#post({ haft: method, id, script });
      }
  }

  #answer(id: string, answer: PageAnswer): void {
    this.#asked.delete(id);
    send({ type: "canvas-answer", session: this.#id, id, answer });
  }

  #post(message: object): void {
    // The frame has an opaque origin, which cannot be named.
    this.#frame?.window.postMessage(message, "*");
  }

  #hear(message: PageMessage): void {
    if (!this.#frame || typeof message !== "object" || message === null) return;
    if (!this.#frame.budget.take(performance.now())) {
      this.#stop("The page sent too many messages.");
      return;
    }
    if (JSON.stringify(message).length > MOST_CHARS) {
      this.#stop("The page sent a message that is too long.");
      return;
    }
    const { id, method, params, haft, answer } = message;
    if (method === "ui/notifications/sandbox-proxy-ready") {
      this.#start();
      return;
    }
    if (method === "ui/notifications/sandbox-loaded") {
      // A page of an address may follow its links; any other page has left what was presented.
      if (this.#isLoaded) {
        if (this.state.value?.page?.kind !== "address") this.#stop("The page tried to leave the canvas.");
        return;
      }
      this.#isLoaded = true;
      this.#sendA2ui();
      this.#flush();
      return;
    }
    if (method === "ui/notifications/initialized") {
      this.#isListening = true;
      this.#tellCall();
      return;
    }
    if (haft === "answer" && typeof id === "string") {
      if (!this.#asked.has(id)) return;
      this.#answer(id, answer ?? {});
      return;
    }
    if (typeof method === "string" && (typeof id === "string" || typeof id === "number"))
      this.#request(id, method, params);
  }

  #start(): void {
    const { page } = this.state.value ?? {};
    if (!page) return;
    const params = page.kind === "address" ? { url: page.url } : { html: htmlOf(page) };
    this.#post({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params });
  }

  #sendA2ui(): void {
    const { page } = this.state.value ?? {};
    if (page?.kind === "a2ui") this.#post({ haft: "a2ui", messages: page.messages });
  }

  #request(id: string | number, method: string, params: unknown): void {
    if (method === "ui/message" || method === "ui/open-link") {
      this.#propose(id, method, params);
      return;
    }
    const ref = `canvas-${this.#id}-${++this.#count}`;
    this.#requests.set(ref, id);
    const version = this.#frame?.version;
    send({ type: "canvas-request", session: this.#id, version, method, params, ref });
  }

  #reply(ref: string, { result, error }: { readonly result?: unknown; readonly error?: unknown }): void {
    const id = this.#requests.get(ref);
    if (id === undefined) return;
    this.#requests.delete(ref);
    this.#post({ jsonrpc: "2.0", id, ...(error === undefined ? { result } : { error }) });
  }

  /** A page never speaks or opens a page by itself: the person sees the words first. */
  #propose(id: string | number, method: string, params: unknown): void {
    const { url, content } = (params ?? {}) as { url?: unknown; content?: { text?: unknown } | { text?: unknown }[] };
    const words = [content ?? []].flat().flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
    const asked = method === "ui/open-link" ? linkTo(String(url)) : messageOf(words.join("\n"));
    const refuse = (message: string): void => this.#post({ jsonrpc: "2.0", id, error: { code: -32000, message } });
    if (asked.kind === "notice") refuse(asked.title);
    else if (this.proposal.value) refuse("The user has not answered the last one yet.");
    if (this.proposal.value) return;
    this.proposal.set({
      ...asked,
      answer: (isAllowed) => {
        this.proposal.set(undefined);
        if (isAllowed) this.#post({ jsonrpc: "2.0", id, result: {} });
        else if (asked.kind !== "notice") refuse("The user refused.");
      },
    });
  }
}

const MOST_WORDS = 10_000;

/** The address as a browser reads it, so that the person sees exactly that. */
function linkTo(text: string): Omit<Proposal, "answer"> {
  const url = URL.parse(text);
  if (url && /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= MOST_WORDS)
    return { kind: "link", text: url.href, title: `The page wants to open a link${url.host && ` to ${url.host}`}:` };
  return {
    kind: "notice",
    text: text.slice(0, 500),
    title: "The canvas opens only whole addresses that begin with https:, http: or mailto:. It did not open this link:",
  };
}

function messageOf(text: string): Omit<Proposal, "answer"> {
  if (text !== "" && text.length <= MOST_WORDS)
    return { kind: "message", text, title: "The page wants to send the agent a message in your name:" };
  return {
    kind: "notice",
    text: text.slice(0, 500),
    title: `A message of a page has 1 to ${MOST_WORDS} characters. This one has ${text.length}:`,
  };
}
