import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CallerRequest } from "@haft/core/tool";
import {
  type ElicitRequest,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestId,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** The reply to a question: the client's answer, with only its kind checked. */
export type Reply = Readonly<Record<string, unknown>>;

/** The parts of a client's request that the work may read and answer through. */
export type Round = Pick<ServerContext["mcpReq"], "envelope" | "inputResponses" | "_meta" | "log" | "notify">;

/** The working side of a conversation, which may ask the client. */
export interface Asking {
  /** Aborts when the client cancels, or stays away for too long. */
  readonly signal: AbortSignal;
  /** The client's latest request, through which progress is sent. */
  round(): Round;
  /** That request has ended: the client is looking for answers, and nothing can be sent until it returns. */
  readonly isAway: boolean;
  /** Asks under a key. A retry may include the answer to a known key. */
  ask(key: string, request: CallerRequest): Promise<Reply>;
  /**
   * Asks before anything has been done. If the client returns with a request of its own, the work ends here, so that
   * nothing is held meanwhile. It restarts with the answer, which counts if `about` is still the same.
   */
  confirm(about: string, request: CallerRequest): Promise<Reply>;
  /** Ends the conversation with a protocol error instead of a result. */
  fail(error: Error): void;
}

/** The content of the sealed state that a client returns. Each is valid for one return. */
export interface TalkState {
  readonly talk: string;
  readonly round: number;
}

/**
 * The requests of one client that may take several rounds. The work pauses here while the client looks for an answer.
 * Work to which the client does not return is cancelled.
 */
export interface Talks {
  /**
   * Starts the work, or continues it if the request has the state of one. `undefined`: that state is unknown. `subject`
   * identifies the request: a client that returns must still mean the same.
   */
  serve<R extends object>(
    subject: unknown,
    ctx: ServerContext,
    work: (asking: Asking) => Promise<R>,
  ): Promise<R | InputRequiredResult | undefined>;
  /**
   * Starts the work for a request that has not reached `serve`, and may never need to. If the result is `undefined`,
   * the work wants to ask its client something, and continues when `serve` gets the request of this id.
   */
  start<R extends object>(
    id: RequestId,
    subject: unknown,
    round: Round,
    work: (asking: Asking) => Promise<R>,
  ): Started<R>;
  /** Cancels everything that waits. */
  close(): void;
}

export interface Started<R> {
  readonly result: Promise<R | undefined>;
  cancel(reason: Error): void;
}

export interface TalksOptions {
  readonly codec: RequestStateCodec<TalkState>;
  /** Milliseconds that the work waits for the client to return. */
  readonly patienceMs: number;
  /** Maximum waiting conversations of this client; beyond it, the one that has waited longest is cancelled. */
  readonly maxWaiting: number;
}

/** A question before the work, with or without its answer. */
interface Confirmation {
  readonly about: string;
  readonly key: string;
  readonly request: CallerRequest;
  readonly reply?: Reply;
}

interface Question {
  readonly request: CallerRequest;
  answer(reply: Reply): void;
  refuse(thrown: unknown): void;
}

/** One request and its work. A class, because there is one for every call: its methods are created only once. */
class Talk implements Asking {
  readonly subject: unknown;
  readonly work: (asking: Asking) => Promise<object>;
  readonly outcome: Promise<object>;
  /** The name under which it waits for its client; absent until it first waits. */
  name: string | undefined;
  /** The number of times it has waited. */
  count = 0;
  failure: Error | undefined;
  parked: Confirmation | undefined;
  isAway = false;
  readonly #confirmed: Confirmation | undefined;
  readonly #stop = new AbortController();
  #open: Map<string, Question> | undefined;
  #round: Round;
  #wake: (() => void) | undefined;
  #patience: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(subject: unknown, round: Round, work: (asking: Asking) => Promise<object>, confirmed?: Confirmation) {
    this.subject = subject;
    this.work = work;
    this.#round = round;
    this.#confirmed = confirmed;
    this.outcome = work(this);
    const over = () => {
      this.#hasEnded = true;
      this.#wake?.();
    };
    // Callers learn of a failure from the outcome; if none waits any more, the conversation still ends.
    this.outcome.then(over, over);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  round(): Round {
    return this.#round;
  }

  ask(key: string, request: CallerRequest): Promise<Reply> {
    this.#open ??= new Map();
    const open = this.#open;
    const early = open.has(key) ? undefined : replyTo(request, this.#round.inputResponses, key);
    if (early) return Promise.resolve(early);
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const onStop = () => reject(signal.reason);
      if (signal.aborted) return onStop();
      signal.addEventListener("abort", onStop, { once: true });
      const name = open.has(key) ? `${key}-${randomUUID()}` : key;
      open.set(name, {
        request,
        answer(reply) {
          signal.removeEventListener("abort", onStop);
          open.delete(name);
          resolve(reply);
        },
        refuse(thrown) {
          signal.removeEventListener("abort", onStop);
          open.delete(name);
          reject(thrown);
        },
      });
      this.#wake?.();
    });
  }

  confirm(about: string, request: CallerRequest): Promise<Reply> {
    const confirmed = this.#confirmed;
    if (confirmed?.reply && confirmed.about === about) return Promise.resolve(confirmed.reply);
    // An unguessable key: no answer can come before the question.
    const key = `confirm-${randomUUID()}`;
    if (!this.#round.envelope) return this.ask(key, request);
    this.parked = { about, key, request };
    const reason = new Error("It waits for an answer; the call restarts with it.");
    this.cancel(reason);
    this.#wake?.();
    return Promise.reject(reason);
  }

  fail(error: Error): void {
    this.failure ??= error;
    this.cancel(error);
    this.#wake?.();
  }

  cancel(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** The client has returned, perhaps with answers. */
  meet(round: Round): void {
    clearTimeout(this.#patience);
    this.isAway = false;
    this.#round = round;
    this.take(round.inputResponses);
  }

  take(responses: Round["inputResponses"]): void {
    for (const [key, { request, answer }] of [...(this.#open ?? [])]) {
      const reply = replyTo(request, responses, key);
      if (reply) answer(reply);
    }
  }

  /** The client has no answer. A request for approval counts as cancelled; other questions get the failure. */
  giveUp(key: string, thrown: unknown): void {
    const question = this.#open?.get(key);
    if (question?.request.method === "elicitation/create") question.answer({ action: "cancel" });
    else question?.refuse(thrown);
  }

  /** The outcome of work that asks nothing. At the first question, calls `asks` and resolves to `undefined`. */
  first(asks: () => void): Promise<object | undefined> {
    return new Promise((resolve, reject) => {
      this.outcome.then(resolve, reject);
      this.#wake = () => {
        if (!this.#open?.size) return;
        this.#wake = undefined;
        asks();
        resolve(undefined);
      };
      // The work has started already.
      this.#wake();
    });
  }

  /** Waits until the work has ended (`true`) or asks something. Questions asked together are sent together. */
  async settled(): Promise<boolean> {
    for (;;) {
      if (this.failure || this.#hasEnded || this.parked) return true;
      if (this.#open?.size) {
        await new Promise(setImmediate);
        if (this.#open.size > 0 && !this.#hasEnded) return false;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  questions(): readonly (readonly [string, CallerRequest])[] {
    return [...(this.#open ?? [])].map(([key, { request }]) => [key, request]);
  }

  /** The client leaves to find answers: from now on the work waits, for this many milliseconds, under a name. */
  wait(patienceMs: number, tooLong: (name: string) => void): { readonly name: string; readonly round: number } {
    this.name ??= randomUUID();
    this.isAway = true;
    const { name } = this;
    this.#patience = setTimeout(() => {
      tooLong(name);
      this.cancel(new Error("The client did not answer in time."));
    }, patienceMs);
    this.#patience.unref();
    this.count++;
    return { name, round: this.count };
  }
}

export const createTalks = (options: TalksOptions): Talks => new ClientTalks(options);

class ClientTalks implements Talks {
  readonly #options: TalksOptions;
  readonly #waiting = new Map<string, Talk>();
  readonly #started = new Map<RequestId, Talk>();

  constructor(options: TalksOptions) {
    this.#options = options;
  }

  async serve<R extends object>(
    subject: unknown,
    ctx: ServerContext,
    work: (asking: Asking) => Promise<R>,
  ): Promise<R | InputRequiredResult | undefined> {
    const state = ctx.mcpReq.requestState<TalkState>();
    const talk = state
      ? this.#waiting.get(state.talk)
      : (this.#started.get(ctx.mcpReq.id) ?? new Talk(subject, ctx.mcpReq, work));
    if (!state) this.#started.delete(ctx.mcpReq.id);
    // Each state is valid for one return, and only for its own request.
    else if (talk?.count !== state.round || !isDeepStrictEqual(talk.subject, subject)) return undefined;
    return talk && ((await this.#advance(talk, ctx)) as Awaited<ReturnType<typeof work>>);
  }

  start<R extends object>(
    id: RequestId,
    subject: unknown,
    round: Round,
    work: (asking: Asking) => Promise<R>,
  ): Started<R> {
    const talk = new Talk(subject, round, work);
    const result = talk.first(() => this.#started.set(id, talk)) as Promise<R | undefined>;
    return { result, cancel: (reason) => talk.cancel(reason) };
  }

  close(): void {
    for (const talk of [...this.#waiting.values(), ...this.#started.values()])
      talk.cancel(new Error("The client is gone."));
    this.#waiting.clear();
    this.#started.clear();
  }

  /** Lets the client leave to find answers, while the work, or the question before it, waits. */
  async #hold(talk: Talk, asked: Iterable<readonly [string, CallerRequest]>, ctx: ServerContext) {
    const { name, round } = talk.wait(this.#options.patienceMs, (late) => this.#waiting.delete(late));
    this.#waiting.set(name, talk);
    if (this.#waiting.size > this.#options.maxWaiting) this.#dropOldest();
    const inputRequests = Object.fromEntries(
      [...asked].map(([key, request]) => [key, { params: {}, ...request } as unknown as InputRequest]),
    );
    return inputRequired({ inputRequests, requestState: await this.#options.codec.mint({ talk: name, round }, ctx) });
  }

  #dropOldest(): void {
    const [oldest] = this.#waiting;
    if (!oldest) return;
    this.#waiting.delete(oldest[0]);
    oldest[1].cancel(new Error("Too many requests of this client are waiting for answers."));
  }

  /** Continues a conversation as far as this request of the client allows. */
  async #advance(talk: Talk, ctx: ServerContext): Promise<object> {
    if (talk.name !== undefined) this.#waiting.delete(talk.name);
    talk.meet(ctx.mcpReq);
    const { parked } = talk;
    if (parked) {
      const reply = replyTo(parked.request, ctx.mcpReq.inputResponses, parked.key);
      return reply
        ? this.#advance(new Talk(talk.subject, ctx.mcpReq, talk.work, { ...parked, reply }), ctx)
        : this.#hold(talk, [[parked.key, parked.request]], ctx);
    }
    const unlink = whenGone(ctx, () => talk.cancel(new Error("The client cancelled the request.")));
    let isOver = await talk.settled();
    // An older client is asked while its request stays open: questions that it cannot answer are known here and block
    // nothing.
    while (!isOver && !ctx.mcpReq.envelope) {
      await Promise.all(talk.questions().map(([key, request]) => this.#putTo(talk, ctx, key, request)));
      isOver = await talk.settled();
    }
    // In the newer protocol a request ends with its round. In the older one it stays open while the client thinks.
    if (ctx.mcpReq.envelope) unlink();
    if (talk.failure) throw talk.failure;
    if (talk.parked) return this.#hold(talk, [[talk.parked.key, talk.parked.request]], ctx);
    return isOver ? talk.outcome : this.#hold(talk, talk.questions(), ctx);
  }

  /**
   * Asks the client here, not through the SDK: the SDK would end the request if the client fails, and the work would
   * keep waiting.
   */
  async #putTo(talk: Talk, ctx: ServerContext, key: string, { method, params }: CallerRequest) {
    const form = method === "elicitation/create" ? { mode: "form" } : {};
    const request = { method, params: { ...form, ...params } } as unknown as ElicitRequest;
    const options = {
      timeout: this.#options.patienceMs,
      resetTimeoutOnProgress: true,
      onprogress: () => {},
      signal: talk.signal,
    };
    try {
      talk.take({ [key]: await ctx.mcpReq.send(request, options) });
    } catch (thrown) {
      talk.giveUp(key, thrown);
    }
  }
}

/** Calls `heard` when the client cancels, or closes a request whose answer cannot be sent elsewhere. */
function whenGone({ mcpReq, http }: ServerContext, heard: () => void): () => void {
  const signals = [mcpReq.signal, ...(mcpReq.envelope || !http?.req ? [] : [http.req.signal])];
  for (const signal of signals) {
    if (signal.aborted) heard();
    else signal.addEventListener("abort", heard, { once: true });
  }
  return () => {
    for (const signal of signals) signal.removeEventListener("abort", heard);
  };
}

const kinds = {
  "elicitation/create": "elicit",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
} as const;

/** The client's answer under a key, if it fits this kind of question. */
function replyTo(
  { method }: CallerRequest,
  responses: Readonly<Record<string, unknown>> | undefined,
  key: string,
): Reply | undefined {
  if (!responses || !Object.hasOwn(responses, key)) return undefined;
  return inputResponse(responses, key).kind === kinds[method] ? (responses[key] as Reply) : undefined;
}
