import type { Model, ModelEvent, ModelRequest, Usage } from "../../agent/index.ts";
import { costOf, type Price } from "../../agent/provider/prices.ts";
import { limitError, type Pool } from "./pool.ts";

/** Bytes per token in the estimate. Real tokens are not shorter, so the estimate is an upper bound. */
const BYTES_A_TOKEN = 2;
/** Most tokens for an answer. Below the least, no answer is requested. */
const MOST_ANSWER = 16_384;
const LEAST_ANSWER = 64;

/**
 * A model whose requests are paid from a pool. The most that a request may cost is reserved before it is made, and the
 * answer is limited to what is left. If too little is free while others hold reservations, it waits for them.
 */
export function meteredModel(model: Model, pool: Pool, price?: Price): Model {
  return {
    ...model,
    async *step(request: ModelRequest): AsyncGenerator<ModelEvent> {
      if (!pool.isLimited("tokens") && !pool.isLimited("money")) return yield* counted(model, request, pool, price);
      const sent = estimate(request);
      for (;;) {
        const most = Math.min(pool.left("tokens") - sent, answerFor(pool.left("money"), sent, price), MOST_ANSWER);
        if (most >= LEAST_ANSWER)
          return yield* counted(model, request, pool, price, { sent, answer: Math.floor(most) });
        const isHopeless = request.signal.aborted || !pool.isReserved();
        if (isHopeless) return yield { type: "error", error: limitError(shortage(pool, sent, price)) };
        await pool.settled(request.signal);
      }
    },
  };
}

async function* counted(
  model: Model,
  request: ModelRequest,
  pool: Pool,
  price: Price | undefined,
  held?: { readonly sent: number; readonly answer: number },
): AsyncGenerator<ModelEvent> {
  const settleTokens = pool.reserve("tokens", held ? held.sent + held.answer : 0);
  const settleMoney = pool.reserve("money", held ? mostFor(held.sent, held.answer, price) : 0);
  let usage: Usage | undefined;
  let heard = 0;
  try {
    const bound = held ? { ...request, maxOutputTokens: held.answer } : request;
    for await (const event of model.step(bound)) {
      if (event.type === "finish") usage = event.usage;
      if (event.type === "part") heard += JSON.stringify(event.part).length;
      yield event;
    }
  } finally {
    // Without usage data from the provider, estimate from the text sent and received.
    const inputTokens = usage?.inputTokens ?? Math.ceil(estimate(request) / 2);
    const outputTokens = usage?.outputTokens ?? Math.ceil(heard / 4);
    settleTokens(inputTokens + outputTokens);
    settleMoney(costOf({ ...usage, inputTokens, outputTokens }, price));
  }
}

/** An upper bound for a request's tokens, whatever the tokenizer. */
const estimate = ({ system, messages, tools }: ModelRequest): number =>
  Math.ceil(
    Buffer.byteLength(
      JSON.stringify([system, messages, tools.map(({ name, description, input }) => [name, description, input.json])]),
    ) / BYTES_A_TOKEN,
  );

/** The most that a request may cost: all of it may be written to the provider's cache. */
const mostFor = (inputTokens: number, outputTokens: number, price: Price | undefined): number =>
  Math.max(
    costOf({ inputTokens, outputTokens }, price),
    costOf({ inputTokens, outputTokens, cacheWriteTokens: inputTokens }, price),
  );

const answerFor = (money: number, sent: number, price: Price | undefined): number => {
  const left = money - mostFor(sent, 0, price);
  if (left < 0) return -1;
  const each = mostFor(sent, 1, price) - mostFor(sent, 0, price);
  return each === 0 ? Number.POSITIVE_INFINITY : left / each;
};

const shortage = (pool: Pool, sent: number, price: Price | undefined) =>
  pool.shortage("tokens", sent + LEAST_ANSWER) ??
  pool.shortage("money", mostFor(sent, LEAST_ANSWER, price)) ?? {
    code: "limit_reached" as const,
    message: "The agent was stopped while it waited for tokens.",
  };
