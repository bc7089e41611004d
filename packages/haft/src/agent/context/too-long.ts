import { HaftError } from "@haft/core/tool";

/** Error messages of providers, and of servers for local models, for a request that is longer than the model can read. */
const SAID =
  /(?:prompt|input|conversation) (?:is|was) too (?:long|large)|context[ _](?:length|window|size)|maximum (?:prompt|context) length|input token count|too many (?:input )?tokens|request_too_large|reduce the length of the (?:messages|prompt|input)/i;

/** Statuses of such a refusal. An interrupted stream has none, and a recording keeps only the message. */
const STATUSES: ReadonlySet<unknown> = new Set([undefined, 200, 400, 413, 422, 500]);

/** Whether a request failed because the conversation is longer than the model can read. */
export function isTooLong(error: unknown): boolean {
  const { statusCode, message, responseBody } = (typeof error === "object" && error !== null ? error : {}) as Said;
  if (statusCode === 413) return true;
  const words = [typeof error === "string" ? error : message, responseBody].filter((text) => typeof text === "string");
  return STATUSES.has(statusCode) && words.some((text) => SAID.test(text));
}

interface Said {
  readonly statusCode?: unknown;
  readonly message?: unknown;
  readonly responseBody?: unknown;
}

/** The error for a person if nothing more can be left out. */
export const tooLong = (error: unknown): HaftError =>
  new HaftError(
    {
      code: "limit_reached",
      message: `The conversation is too long for the model: ${error instanceof Error ? error.message : String(error)}`,
      hint: "Start a new one (/clear), ask for less in one prompt, or choose a model with a larger context. budgets.resultChars in the settings shortens single results.",
    },
    { cause: error },
  );
