import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import type {
  CallToolRequest,
  CallToolRequestOptions,
  CallToolResult,
  InputRequiredResult,
} from "@modelcontextprotocol/client";
import type { Live } from "../connection/open.ts";

/** How often one call may return with questions. */
const MOST_ROUNDS = 10;

/** Milliseconds before a call that returned without a question is made again: its server has asked for a delay. */
const PACE_MS = 250;

/**
 * Answers the questions with which a call returned, and repeats it with the answers until it has a result. The SDK could do that too, but
 * outside of the call: then nobody could tell which call a question belongs to.
 */
export async function answerInRounds(
  { call, answer }: Live,
  question: InputRequiredResult,
  params: CallToolRequest["params"],
  options: CallToolRequestOptions & { readonly signal: AbortSignal },
): Promise<CallToolResult> {
  let said: CallToolResult | InputRequiredResult = question;
  for (let round = 0; round < MOST_ROUNDS && isQuestion(said); round++) {
    const { inputRequests = {}, requestState } = said;
    const inputResponses = await answersTo(inputRequests, answer, options.signal);
    if (Object.keys(inputRequests).length === 0) await wait(PACE_MS, undefined, { signal: options.signal });
    const more = {
      ...(Object.keys(inputResponses).length > 0 ? { inputResponses } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
    said = await call({ ...params, ...more }, options);
  }
  if (!isQuestion(said)) return said;
  throw new HaftError({
    code: "mcp_error",
    message: `${params.name} asked questions more than ${MOST_ROUNDS} times.`,
    hint: "It may have done part of its work. Ask the user, or go on without this tool.",
  });
}

/** Whether a call has returned with questions instead of a result. */
export const isQuestion = (said: object): said is InputRequiredResult =>
  (said as { readonly resultType?: unknown }).resultType === "input_required";

/** Answers all at once; if one cannot be answered the others are cancelled. */
async function answersTo(
  asked: NonNullable<InputRequiredResult["inputRequests"]>,
  answer: Live["answer"],
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    const entries = Object.entries(asked).map(
      async ([key, question]) => [key, await answer(question, either)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  } catch (thrown) {
    stop.abort(thrown);
    throw thrown;
  }
}
