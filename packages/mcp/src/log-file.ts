import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** Stores the output of a server outside the protocol. */
interface LogFile {
  write(text: string): void;
}

/** Bytes after which a log is rotated; one earlier log is kept. */
const MOST_BYTES = 1_000_000;

/** The log file of a server in a folder. A server name may be any text, so the file name is derived from it. */
export function logFileOf(folder: string, server: string): string {
  const plain = server.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60);
  const suffix = plain === server ? "" : `-${createHash("sha256").update(server).digest("hex").slice(0, 8)}`;
  return join(folder, `${plain}${suffix}.log`);
}

/** Appends to a server's log. A failed write to the log must not fail anything else. */
export function openLogFile(folder: string | undefined, server: string): LogFile {
  if (folder === undefined) return { write: () => {} };
  const path = logFileOf(folder, server);
  let bytes: number | undefined;
  let isUsable = true;
  return {
    write(text) {
      if (!isUsable) return;
      try {
        bytes ??= start(folder, path);
        if (bytes > MOST_BYTES) {
          renameSync(path, `${path}.1`);
          bytes = 0;
        }
        appendFileSync(path, text, { mode: 0o600 });
        bytes += text.length;
      } catch {
        isUsable = false;
      }
    },
  };
}

function start(folder: string, path: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
