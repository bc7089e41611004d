import { grouped } from "@haft/core/tool";
/** Bytes of an answer that are looked at: room for a whole file in a replaced input, and no more. */
export const ANSWER_BYTES = 8 * 1024 * 1024;

/** What a handler printed, or why it cannot be an answer. */
export type Printed = { readonly text: string } | { readonly unreadable: string };

/** How a handler ended, before anybody looks at what it says. */
export type Ended =
  | { readonly how: "exit"; readonly code: number; readonly stdout: Printed; readonly stderr: string }
  /** An HTTP answer of the 200s. */
  | { readonly how: "reply"; readonly body: Printed }
  /** It did not start, was stopped, crashed, or its server said no. */
  | { readonly how: "failed"; readonly why: string };

/** What a handler is told and given. */
export interface Running {
  /** The event as JSON. */
  readonly payload: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Collects bytes up to a limit and lets the rest go by. */
export function collector(limit: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** Says whether there was room for all of it. */
    add(chunk: Buffer): boolean {
      const room = limit - size;
      size += chunk.length;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      return size <= limit;
    },
    /** Strictly: an answer with broken characters or a missing end is none. */
    printed(): Printed {
      if (size > limit) return { unreadable: `it printed more than ${grouped(limit)} bytes, which is too much` };
      try {
        return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
      } catch {
        return { unreadable: "what it printed is not UTF-8" };
      }
    },
    /** As well as it goes, for people. */
    text: (): string => Buffer.concat(chunks).toString("utf8"),
  };
}
