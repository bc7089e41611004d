/**
 * The id of an answer of which only the two ends are known: servers write it before or after the result. Only at the very
 * ends: the middle is data.
 */
export function answerId(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+),/.exec(head)?.[1] ??
    /\},?"id":(\d+)\}\s*$/.exec(tail)?.[1] ??
    /"jsonrpc":"2\.0","id":(\d+)\}\s*$/.exec(tail)?.[1] ??
    /,"id":(\d+),"jsonrpc":"2\.0"\}\s*$/.exec(tail)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** What the caller hears whose answer cannot be read. */
export const noAnswer = (id: number | string, message: string) => ({
  jsonrpc: "2.0" as const,
  id,
  error: { code: -32_603, message },
});

/** Said of an answer that is too long. The cure of a failed call goes by these words. */
export const tooLong = (most: number, bytes?: number): string =>
  `The answer has ${bytes ?? `more than ${most}`} bytes; at most ${most} are read.`;
