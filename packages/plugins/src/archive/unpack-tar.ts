import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { refuseArchive as refuse } from "./refuse.ts";

/** Most bytes of an archive once it is unpacked. */
const MOST_BYTES = 100_000_000;
const BLOCK = 512;

/**
 * Unpacks a tar archive, compressed or not, into an empty folder. Only files and folders: a link, a device, or a name that
 * leads out of the folder is refused, and then nothing was written.
 *
 * @throws HaftError `validation_failed` for an archive that cannot be used.
 */
export function unpackTar(archive: Uint8Array, folder: string): void {
  const files = [...entriesOf(plainOf(archive))];
  for (const { path, content, isProgram } of files) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    writeFileSync(place, content, { mode: isProgram ? 0o700 : 0o600, flag: "wx" });
  }
}

interface Entry {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isProgram: boolean;
}

function plainOf(archive: Uint8Array): Buffer {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) return Buffer.from(archive);
  try {
    return gunzipSync(archive, { maxOutputLength: MOST_BYTES });
  } catch (thrown) {
    return refuse(`it cannot be decompressed (${(thrown as Error).message})`);
  }
}

function* entriesOf(data: Buffer): Generator<Entry> {
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= data.length; ) {
    const header = data.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const size = Number.parseInt(textAt(header, 124, 12) || "0", 8);
    if (!Number.isSafeInteger(size) || size < 0 || at + BLOCK + size > data.length) refuse("it is cut off or damaged");
    const content = data.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(header[156] ?? 0);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "L") longName = content.toString("utf8").replace(/\0.*$/s, "");
    else if (type === "x") longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString("utf8"))?.[1] ?? longName;
    else if (type !== "g") {
      const path = safePath(longName ?? [textAt(header, 345, 155), textAt(header, 0, 100)].filter(Boolean).join("/"));
      longName = undefined;
      if (type === "0" || type === "\0") {
        const mode = Number.parseInt(textAt(header, 100, 8) || "0", 8);
        yield { path, content, isProgram: (mode & 0o100) !== 0 };
      } else if (type !== "5") refuse(`${JSON.stringify(path)} in it is a link or a device`);
    }
  }
}

const textAt = (header: Buffer, from: number, length: number): string =>
  header
    .subarray(from, from + length)
    .toString("utf8")
    .replace(/\0.*$/s, "")
    .trim();

/** A name in an archive as a path below the folder. Refuses any other. */
export function safePath(name: string): string {
  const path = normalize(name);
  const isOutside =
    name === "" || path.startsWith(sep) || path === ".." || path.startsWith(`..${sep}`) || /[\0\\]/.test(name);
  return isOutside ? refuse(`the name ${JSON.stringify(name)} in it leads out of its folder`) : path;
}
