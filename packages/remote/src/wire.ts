/**
 * Values on the wire between two machines, as JSON. Bytes, functions and abort signals are replaced by a marked object.
 * Functions and signals stay where they are: the other side gets a stand-in.
 */
const MARK = "\u0000haft";

/** Numbers functions and signals of this side, and makes stand-ins for those of the other side. */
export interface References {
  give(value: ((...given: readonly unknown[]) => unknown) | AbortSignal): number;
  takeFunction(id: number): unknown;
  takeSignal(id: number, isAborted: boolean): AbortSignal;
}

type Marked =
  | readonly ["undefined"]
  | readonly ["bytes", string]
  | readonly ["function", number]
  | readonly ["signal", number, boolean];

/** A value as JSON text. */
export function encode(value: unknown, references: Pick<References, "give">): string {
  const marked = (...mark: Marked) => ({ [MARK]: mark });
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, changed: unknown) {
    // Buffer has a `toJSON`, so the value itself is needed.
    const own = this[key];
    if (own === undefined && Array.isArray(this)) return marked("undefined");
    if (own instanceof Uint8Array)
      return marked("bytes", Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString("base64"));
    if (own instanceof AbortSignal) return marked("signal", references.give(own), own.aborted);
    if (typeof own === "function") return marked("function", references.give(own as () => unknown));
    return changed;
  });
}

/** The value of JSON text. */
export function decode(text: string, references: Pick<References, "takeFunction" | "takeSignal">): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    const mark = markOf(value);
    if (!mark) return value;
    if (mark[0] === "undefined") return undefined;
    if (mark[0] === "bytes") return new Uint8Array(Buffer.from(mark[1], "base64"));
    if (mark[0] === "function") return references.takeFunction(mark[1]);
    return references.takeSignal(mark[1], mark[2]);
  });
}

const markOf = (value: unknown): Marked | undefined =>
  typeof value === "object" && value !== null && MARK in value
    ? ((value as Record<string, unknown>)[MARK] as Marked)
    : undefined;
