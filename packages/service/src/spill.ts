import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Spill } from "@haft/core/budget";

/** Saves results that are too long for the model below the session's folder, each in a private file. */
export function createSpill(folder: string): Spill {
  let count = 0;
  async function keep(callId: string, data: string | Uint8Array, extension: string): Promise<string> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The id comes from the model and may contain anything. The number keeps two similar ids apart.
    const name = `${++count}-${callId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80)}.${extension}`;
    const path = join(folder, name);
    await writeFile(path, data, { mode: 0o600, flag: "wx" });
    return path;
  }
  return {
    write: (callId, text) => keep(callId, text, "txt"),
    writeMedia: (callId, data, mediaType) => keep(callId, Buffer.from(data, "base64"), extensionOf(mediaType)),
  };
}

/** A media type is untrusted text, too. */
const extensionOf = (mediaType: string): string => /^[a-z]+\/([a-z0-9]{1,10})\b/.exec(mediaType)?.[1] ?? "bin";
