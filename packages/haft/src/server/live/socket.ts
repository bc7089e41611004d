import type { WebSocket } from "ws";
import { z } from "zod";
import type { PageAnswer } from "../canvas/canvas-state.ts";
import { ShownCanvases } from "../canvas/shown-canvases.ts";
import { Problem } from "../route/problem.ts";
import type { ClientSocket } from "./client-tools.ts";
import type { ServerParts } from "./parts.ts";
import { type ClientMessage, clientMessage } from "./socket-messages.ts";
import { plainError } from "./wire-event.ts";

/** Bytes that may wait for a slow client. Beyond, it gets no events until it has read what waits. */
const MOST_WAITING = 4 * 1024 * 1024;
const CHECK_MS = 3_000;
/** Checks between two pings. */
const PING_EVERY = 10;

/** Serves one WebSocket: events of the sessions that it watches, the inbox, prompts, answers, and the client's own tools. */
export function serveSocket(parts: ServerParts, socket: WebSocket, client: string): void {
  const own = new SocketClient(parts, socket, client);
  socket.on("message", (data, isBinary) => {
    if (isBinary) return socket.close(1003, "Only text messages are accepted.");
    void own.hear(String(data));
  });
  socket.on("close", () => own.close());
  socket.on("error", () => socket.terminate());
}

/** One connected client. */
class SocketClient implements ClientSocket {
  readonly client: string;
  readonly #parts: ServerParts;
  readonly #socket: WebSocket;
  /** Watched sessions, and the number of the last event that was sent. `behind`: events were left out. */
  readonly #watched = new Map<string, { sent: number; behind: boolean; stop(): void }>();
  readonly #stopInbox: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #canvases = new ShownCanvases((message) => this.#send(message));
  #isAlive = true;
  #checks = 0;
  #unreadSince: number | undefined;
  #waitingBefore = 0;

  constructor(parts: ServerParts, socket: WebSocket, client: string) {
    this.client = client;
    this.#parts = parts;
    this.#socket = socket;
    this.#stopInbox = parts.inboxNews.on((news) => this.#send(news));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    this.#timer = setInterval(() => this.#check(), Math.min(CHECK_MS, parts.unreadMs));
    this.#timer.unref();
  }

  async hear(text: string): Promise<void> {
    let ref: string | undefined;
    try {
      const read = clientMessage.safeParse(JSON.parse(text));
      if (!read.success) throw new Problem(400, "invalid_input", z.prettifyError(read.error).replaceAll("\n", " "));
      const message = read.data;
      ref = "ref" in message ? message.ref : undefined;
      const answer = await this.#act(message);
      if (answer !== undefined) this.#send({ type: "reply", ...(ref === undefined ? {} : { ref }), ...answer });
    } catch (thrown) {
      const error = thrown instanceof SyntaxError ? { message: "The message is not JSON." } : plainError(thrown);
      this.#send({ type: "error", ...(ref === undefined ? {} : { ref }), error });
    }
    // A client that does not read its answers may not ask for more of them.
    if (this.#isFull()) this.#socket.pause();
  }

  sendCall(session: string, { callId, tool, input }: Parameters<ClientSocket["sendCall"]>[1]): void {
    this.#send({ type: "tool-call", session, callId, tool, input });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stopInbox();
    this.#canvases.close();
    for (const { stop } of this.#watched.values()) stop();
    this.#watched.clear();
    this.#parts.clientTools.left(this);
  }

  async #act(message: ClientMessage): Promise<object | undefined> {
    const { rooms, inbox, clientTools } = this.#parts;
    switch (message.type) {
      case "watch":
        return this.#watch(message.session, message.after);
      case "unwatch":
        this.#watched.get(message.session)?.stop();
        this.#watched.delete(message.session);
        return undefined;
      case "prompt": {
        const { agent } = await rooms.enter(message.session);
        agent.prompt(message.text, { by: this.client }).catch((thrown: unknown) => this.#fail(message.ref, thrown));
        return {};
      }
      case "interrupt":
        (await rooms.enter(message.session)).agent.interrupt();
        return undefined;
      case "answer":
        return { receipt: inbox.answer(message, this.client) };
      case "tools": {
        const session = await rooms.enter(message.session);
        return { registered: clientTools.of(session).register(this, message.tools, message.key) };
      }
      case "tool-result": {
        const { session: id, callId, output, error } = message;
        const session = await rooms.enter(id);
        const answer = error === undefined ? { output } : { error };
        return { receipt: await clientTools.of(session).result(this, callId, answer) };
      }
      case "canvas":
        return this.#canvases.show(await rooms.enter(message.session), message.isShown);
      case "canvas-closed":
        return this.#canvases.closePanel(await rooms.enter(message.session), message.version);
      case "canvas-answer":
        return this.#canvases.answer(await rooms.enter(message.session), message.id, message.answer as PageAnswer);
      case "canvas-request":
        return this.#canvases.request(await rooms.enter(message.session), message);
      case "ping":
        return {};
    }
  }

  #fail(ref: string | undefined, thrown: unknown): void {
    this.#send({ type: "error", ...(ref === undefined ? {} : { ref }), error: plainError(thrown) });
  }

  async #watch(id: string, after: number | undefined): Promise<object | undefined> {
    const session = await this.#parts.rooms.enter(id);
    this.#watched.get(id)?.stop();
    const missed = after === undefined ? [] : session.after(after);
    if (!missed) {
      this.#send({ type: "gap", session: id, seq: session.seq });
      return undefined;
    }
    for (const { seq, text } of missed)
      this.#sendText(`{"type":"event","session":"${id}","seq":${seq},"event":${text}}`);
    const state = {
      sent: session.seq,
      behind: false,
      stop: session.on(({ seq, text }) => {
        if (state.behind || this.#isFull()) {
          state.behind = true;
          return;
        }
        state.sent = seq;
        this.#sendText(`{"type":"event","session":"${id}","seq":${seq},"event":${text}}`);
      }),
    };
    this.#watched.set(id, state);
    return undefined;
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount > MOST_WAITING;
  }

  /** Tells a client that has caught up to load again what it missed; ends one that reads nothing. */
  #check(): void {
    if (++this.#checks % PING_EVERY === 0) {
      if (!this.#isAlive) this.#socket.terminate();
      this.#isAlive = false;
      this.#socket.ping();
    }
    const waiting = this.#socket.bufferedAmount;
    if (waiting === 0) {
      this.#unreadSince = undefined;
      for (const [id, state] of this.#watched) {
        if (!state.behind) continue;
        state.behind = false;
        this.#send({ type: "gap", session: id, seq: this.#parts.rooms.get(id)?.seq ?? 0 });
      }
      return;
    }
    // Slow reading is fine; only a client that reads nothing at all blocks memory permanently.
    if (waiting < this.#waitingBefore) this.#unreadSince = undefined;
    this.#waitingBefore = waiting;
    this.#unreadSince ??= Date.now();
    if (Date.now() - this.#unreadSince > this.#parts.unreadMs) this.#socket.terminate();
  }

  #send(message: object): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text, () => {
      if (this.#socket.isPaused && !this.#isFull()) this.#socket.resume();
    });
  }
}
