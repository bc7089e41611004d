import { openChain } from "./chain.ts";
import { readIfThere } from "./read-if-there.ts";
import type { Line } from "./record.ts";

/** The journal's lines: append-only JSON. Each write carries the hash of the one before. */
export interface Log {
  readonly path: string;
  /** Appends one whole line. With `durable`, it is on disk when this returns. */
  append(line: Line, options?: { readonly durable?: boolean }): void;
  read(): Line[];
  /** The hash of the last line. */
  head(): string | undefined;
  close(): void;
}

/** Opens the lines at `path`. The file is created with the first line, for its owner only. */
export function openLog(path: string): Log {
  const chain = openChain(path);
  return { ...chain, read: () => parseLines(readIfThere(path)?.toString() ?? "") };
}

function parseLines(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as Line];
    } catch {
      // Torn by a kill: the announced action did not start.
      return [];
    }
  });
}
