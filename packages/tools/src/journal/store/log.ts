import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Line } from "./record.ts";

/** The journal's lines: JSON, only ever appended to. */
export interface Log {
  readonly path: string;
  /** One line, whole. With `durable` it is on disk when this returns. */
  append(line: Line, options?: { readonly durable?: boolean }): void;
  read(): Line[];
  close(): void;
}

/** Opens the lines at `path`; the file is made with the first one, for its owner only. */
export function openLog(path: string): Log {
  let descriptor: number | undefined;
  return {
    path,
    append(line, { durable = false } = {}) {
      if (descriptor === undefined) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        descriptor = openSync(path, "a", 0o600);
        // A torn line of a killed process must not swallow the next one.
        if (endsTorn(path)) writeSync(descriptor, "\n");
      }
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
      if (durable) fdatasyncSync(descriptor);
    },
    read: () => (existsSync(path) ? parseLines(readFileSync(path, "utf8")) : []),
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function endsTorn(path: string): boolean {
  const bytes = readFileSync(path);
  return bytes.length > 0 && bytes.at(-1) !== 0x0a;
}

function parseLines(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      return [JSON.parse(line) as Line];
    } catch {
      // Torn by a kill: what it would have announced was not begun.
      return [];
    }
  });
}
