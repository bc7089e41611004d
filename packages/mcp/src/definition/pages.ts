import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";

/** The timeout for a server's list, and the signal that cancels it. */
export interface ListLimits {
  /** Milliseconds for the whole list, however many pages it has. */
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** Far more than any real server has; an endless list must not block us. */
const MOST_PAGES = 64;

/** The unparsed entries of one field on all pages of a list: one bad entry must not cost the others. */
export async function listPages(
  client: Client,
  method: string,
  field: string,
  { ms, signal }: ListLimits,
): Promise<readonly unknown[]> {
  const late = AbortSignal.timeout(ms);
  const options = { timeout: ms, signal: signal ? AbortSignal.any([signal, late]) : late };
  const all: unknown[] = [];
  const cursors = new Set<string>();
  for (let params = {}; ; ) {
    const { listed, nextCursor } = await client.request({ method, params }, pageSchema(field), options);
    for (const one of listed) all.push(one);
    if (nextCursor === undefined || cursors.has(nextCursor) || cursors.size + 1 >= MOST_PAGES) return all;
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
}

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

interface Page {
  readonly listed: readonly unknown[];
  readonly nextCursor?: string;
}

/** The SDK's own schema rejects the whole list for one bad entry, so this schema reads the list. */
const pageSchema = (field: string): StandardSchemaV1<unknown, Page> => ({
  "~standard": {
    version: 1,
    vendor: "haft",
    validate(value) {
      const { [field]: listed, nextCursor } = (value ?? {}) as Readonly<Record<string, unknown>>;
      if (!Array.isArray(listed)) return { issues: [{ message: `the answer has no list of ${field}` }] };
      return { value: { listed, ...(typeof nextCursor === "string" ? { nextCursor } : {}) } };
    },
  },
});
