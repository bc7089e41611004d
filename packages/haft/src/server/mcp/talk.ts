import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CallerRequest } from "@haft/core/tool";
import {
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestId,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** What a question comes back with: a client's word, not yet checked against anything but its kind. */
export type Reply = Readonly<Record<string, unknown>>;

/** What of a client's request the work may look at and answer through. */
export type Round = Pick<ServerContext["mcpReq"], "envelope" | "inputResponses" | "_meta" | "log" | "notify">;

/** The side of a talk that works for the client and may ask it. */
export interface Asking {
  /** Fires when the client cancels, or has not come back for too long. */
  readonly signal: AbortSignal;
  /** The client's latest request: where news belong. */
  round(): Round;
  /** Asks under a key. A retry may bring the answer to a known key with it. */
  ask(key: string, request: CallerRequest): Promise<Reply>;
  /**
   * Asks before anything has been done. Where the client comes back with a request of its own, the work ends here, so
   * that nothing is held meanwhile, and begins anew with the answer; it counts if `about` is then still the same.
   */
  confirm(about: string, request: CallerRequest): Promise<Reply>;
  /** Ends the talk with a protocol error instead of a result. */
  fail(error: Error): void;
}

/** What stands in the sealed state that a client brings back. Each is good for one return. */
export interface TalkState {
  readonly talk: string;
  readonly round: number;
}

/**
 * The requests of one client that may take several rounds: the work waits here, in the middle, while the client looks
 * for an answer. Work that nobody comes back for is cancelled.
 */
export interface Talks {
  /**
   * Starts the work, or goes on with it where the request brings the state of one. `undefined`: there is none such.
   * `subject` is what the request is about: a client that comes back must still mean the same.
   */
  serve<R extends object>(
    subject: unknown,
    ctx: ServerContext,
    work: (asking: Asking) => Promise<R>,
  ): Promise<R | InputRequiredResult | undefined>;
  /**
   * Starts the work for a request that has not come to `serve`, and may never have to: with `undefined` as the result
   * the work wants to ask its client something, and goes on when `serve` gets the request of this id.
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
  /** Milliseconds that the work waits for the client to come back. */
  readonly patienceMs: number;
  /** Most talks that wait for this client; beyond it the one that has waited longest is cancelled. */
  readonly maxWaiting: number;
}

interface Talk {
  readonly subject: unknown;
  round: number;
  /** Until the work has ended (`true`), or wants to ask something. */
  settled(): Promise<boolean>;
  readonly outcome: Promise<object>;
  advance(ctx: ServerContext): Promise<object>;
  cancel(reason: Error): void;
}

/** A question before the work, with the answer or without. */
interface Confirmation {
  readonly about: string;
  readonly key: string;
  readonly request: CallerRequest;
  readonly reply?: Reply;
}

export function createTalks({ codec, patienceMs, maxWaiting }: TalksOptions): Talks {
  const waiting = new Map<string, Talk>();
  const started = new Map<RequestId, Talk>();

  function begin(
    subject: unknown,
    first: Round,
    work: (asking: Asking) => Promise<object>,
    confirmed?: Confirmation,
  ): Talk {
    let id: string | undefined;
    const stop = new AbortController();
    const open = new Map<string, { readonly request: CallerRequest; answer(reply: Reply): void }>();
    let current = first;
    let wake = () => {};
    let patience: NodeJS.Timeout | undefined;
    let failure: Error | undefined;
    const held: { parked?: Confirmation } = {};
    let ended = false;

    const cancel = (reason: Error) => stop.abort(reason);
    const asking: Asking = {
      signal: stop.signal,
      round: () => current,
      ask(key, request) {
        const early = open.has(key) ? undefined : replyTo(request, current.inputResponses, key);
        if (early) return Promise.resolve(early);
        return new Promise((resolve, reject) => {
          const onStop = () => reject(stop.signal.reason);
          if (stop.signal.aborted) return onStop();
          stop.signal.addEventListener("abort", onStop, { once: true });
          const name = open.has(key) ? `${key}-${randomUUID()}` : key;
          open.set(name, {
            request,
            answer(reply) {
              stop.signal.removeEventListener("abort", onStop);
              open.delete(name);
              resolve(reply);
            },
          });
          wake();
        });
      },
      confirm(about, request) {
        if (confirmed?.reply && confirmed.about === about) return Promise.resolve(confirmed.reply);
        // A key that nobody can guess: no answer can come before the question.
        const key = `confirm-${randomUUID()}`;
        if (!current.envelope) return asking.ask(key, request);
        held.parked = { about, key, request };
        const reason = new Error("It waits for an answer; the call begins anew with it.");
        cancel(reason);
        wake();
        return Promise.reject(reason);
      },
      fail(error) {
        failure ??= error;
        cancel(error);
        wake();
      },
    };
    const outcome = work(asking);
    const over = () => {
      ended = true;
      wake();
    };
    // Whoever waits hears of a failure below; where nobody waits any more it is over all the same.
    outcome.then(over, over);

    /** Until the work has ended or wants to know something. Questions that are asked together go together. */
    async function settled(): Promise<boolean> {
      for (;;) {
        if (failure || ended || held.parked) return true;
        if (open.size > 0) {
          await new Promise(setImmediate);
          if (open.size > 0 && !ended) return false;
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }

    /** Lets the client go and find answers; the work, or the question before it, waits. */
    async function questions(asked: Iterable<readonly [string, CallerRequest]>, ctx: ServerContext): Promise<object> {
      talk.round++;
      id ??= randomUUID();
      const name = id;
      waiting.set(name, talk);
      patience = setTimeout(() => {
        waiting.delete(name);
        cancel(new Error("The client did not come back with an answer in time."));
      }, patienceMs);
      patience.unref();
      if (waiting.size > maxWaiting) dropOldest();
      const inputRequests = Object.fromEntries(
        [...asked].map(([key, request]) => [key, { params: {}, ...request } as unknown as InputRequest]),
      );
      const requestState = await codec.mint({ talk: name, round: talk.round }, ctx);
      return inputRequired({ inputRequests, requestState });
    }

    const talk: Talk = {
      subject,
      round: 0,
      cancel,
      settled,
      outcome,
      async advance(ctx) {
        if (id !== undefined) waiting.delete(id);
        clearTimeout(patience);
        current = ctx.mcpReq;
        const { parked } = held;
        if (parked) {
          const reply = replyTo(parked.request, ctx.mcpReq.inputResponses, parked.key);
          if (!reply) return questions([[parked.key, parked.request]], ctx);
          return begin(subject, ctx.mcpReq, work, { ...parked, reply }).advance(ctx);
        }
        for (const [key, { request, answer }] of [...open]) {
          const reply = replyTo(request, ctx.mcpReq.inputResponses, key);
          if (reply) answer(reply);
        }
        const onAbort = () => cancel(new Error("The client cancelled the request."));
        const unlink = whenGone(ctx, onAbort);
        const isOver = await settled();
        // In the newer protocol a request ends with its round. In the older one it is still open while the client thinks.
        if (ctx.mcpReq.envelope) unlink();
        if (failure) throw failure;
        const { parked: waits } = held;
        if (waits) return questions([[waits.key, waits.request]], ctx);
        if (isOver) return outcome;
        return questions(
          [...open].map(([key, { request }]) => [key, request] as const),
          ctx,
        );
      },
    };
    return talk;
  }

  function dropOldest(): void {
    const [id, oldest] = waiting.entries().next().value ?? [];
    if (id === undefined || !oldest) return;
    waiting.delete(id);
    oldest.cancel(new Error("Too many requests of this client wait for an answer."));
  }

  return {
    async serve(subject, ctx, work) {
      const state = ctx.mcpReq.requestState<TalkState>();
      if (state === undefined) {
        const begun = started.get(ctx.mcpReq.id) ?? begin(subject, ctx.mcpReq, work);
        started.delete(ctx.mcpReq.id);
        return (await begun.advance(ctx)) as Awaited<ReturnType<typeof work>>;
      }
      const talk = waiting.get(state.talk);
      // Each state is good for one return, and only for the request that it was given out for.
      if (!talk || talk.round !== state.round || !isDeepStrictEqual(talk.subject, subject)) return undefined;
      return (await talk.advance(ctx)) as Awaited<ReturnType<typeof work>>;
    },
    start<R extends object>(id: RequestId, subject: unknown, round: Round, work: (asking: Asking) => Promise<R>) {
      const talk = begin(subject, round, work);
      const result = talk.settled().then((isOver) => {
        if (isOver) return talk.outcome as Promise<R>;
        started.set(id, talk);
        return undefined;
      });
      return { result, cancel: talk.cancel };
    },
    close() {
      for (const talk of [...waiting.values(), ...started.values()]) talk.cancel(new Error("The client is gone."));
      waiting.clear();
      started.clear();
    },
  };
}

/** Hears when the client cancels, or hangs up on a request whose answer has nowhere else to go. */
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

/** The client's answer under a key, if it is one to this kind of question. */
function replyTo(
  { method }: CallerRequest,
  responses: Readonly<Record<string, unknown>> | undefined,
  key: string,
): Reply | undefined {
  if (!responses || !Object.hasOwn(responses, key)) return undefined;
  return inputResponse(responses, key).kind === kinds[method] ? (responses[key] as Reply) : undefined;
}
