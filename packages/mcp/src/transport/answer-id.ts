/**
 * The id of an answer when only its two ends are known: servers write it before or after the result. It is read only at the very ends,
 * because the middle is data.
 */
export function answerId(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+),/.exec(head)?.[1] ??
    /\},?"id":(\d+)\}\s*$/.exec(tail)?.[1] ??
    /"jsonrpc":"2\.0","id":(\d+)\}\s*$/.exec(tail)?.[1] ??
    /,"id":(\d+),"jsonrpc":"2\.0"\}\s*$/.exec(tail)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The error for the caller of an unreadable answer. */
export const noAnswer = (id: number | string, message: string) => ({
  jsonrpc: "2.0" as const,
  id,
  error: { code: -32_603, message },
});

/** The message for an answer that is too long. */
export const tooLong = (most: number, bytes?: number): string =>
  `The answer has ${bytes ?? `more than ${most}`} bytes; the limit is ${most}.`;

/** Whether an error, passed on by the SDK, is about such an answer. */
export const isTooLong = (message: string): boolean =>
  /answer has (?:more than )?\d+ bytes; the limit is/.test(message);

/** The message for an answer that does not follow the protocol. */
export const unusable = (why: string): string => `${UNUSABLE}: ${why}`;

export const isUnusable = (message: string): boolean => message.includes(UNUSABLE);

const UNUSABLE = "The answer is not JSON-RPC";
