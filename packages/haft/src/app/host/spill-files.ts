import type { Spill } from "@haft/core/budget";
import { createFiles, memoryBasics, type SpillStore } from "@haft/core/host";
import { type Clock, type Files, fail, isWithin, normalize } from "@haft/core/tool";
import { fromStore } from "./within-time.ts";

/** The folder of a session's stored results. It exists only for the tools of Haft. */
export const spillFolder = (session: string): string => `/haft-results/${session}`;

/** A store of results that are too long, for one session. */
export interface SpillFiles {
  readonly spill: Spill;
  /** The files port with the stored results as read-only files. */
  over(files: Files): Files;
}

export function spillFiles(store: SpillStore, session: string, clock: Clock): SpillFiles {
  const folder = spillFolder(session);
  let count = 0;

  async function keep(callId: string, data: Uint8Array, extension: string): Promise<string> {
    // The id comes from the model and may contain anything. The numbers keep results of two calls and processes apart.
    const id = callId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80);
    const name = `${clock.now().toString(36)}-${++count}-${id}.${extension}`;
    await fromStore("results", clock, () => store.write(session, name, data));
    return `${folder}/${name}`;
  }

  const isOurs = (path: string): boolean => isWithin(folder, normalize(path));

  /** The files that a query about this path needs: the one result, as a disk of its own. */
  async function diskFor(path: string): Promise<Files> {
    const name = normalize(path).slice(folder.length + 1);
    const data = name === "" ? undefined : await fromStore("results", clock, () => store.read(session, name));
    return createFiles(memoryBasics(data ? { [`${folder}/${name}`]: data } : {}));
  }

  const overlay = <T extends Omit<Files, "exact">>(files: T): T => ({
    ...files,
    locate: async (path) => (isOurs(path) ? (await diskFor(path)).locate(path) : files.locate(path)),
    stat: async (path) => (isOurs(path) ? (await diskFor(path)).stat(path) : files.stat(path)),
    bytes: async (path, range) => (isOurs(path) ? (await diskFor(path)).bytes(path, range) : files.bytes(path, range)),
    text: async (path, options) =>
      isOurs(path) ? (await diskFor(path)).text(path, options) : files.text(path, options),
    lines: async (path, window) =>
      isOurs(path) ? (await diskFor(path)).lines(path, window) : files.lines(path, window),
    list: async (path) => (isOurs(path) ? (await diskFor(path)).list(path) : files.list(path)),
    find: async (query) => (isOurs(query.root) ? (await diskFor(query.root)).find(query) : files.find(query)),
    search: async (query) => (isOurs(query.root) ? (await diskFor(query.root)).search(query) : files.search(query)),
    write: async (path, data, options) => (isOurs(path) ? readOnly(path) : files.write(path, data, options)),
    remove: async (path, options) => (isOurs(path) ? readOnly(path) : files.remove(path, options)),
  });

  return {
    spill: {
      write: (callId, text) => keep(callId, new TextEncoder().encode(text), "txt"),
      writeMedia: (callId, data, mediaType) => keep(callId, Buffer.from(data, "base64"), extensionOf(mediaType)),
    },
    over: (files) => ({ ...overlay(files), ...(files.exact ? { exact: overlay(files.exact) } : {}) }),
  };
}

const readOnly = (path: string): never =>
  fail("permission_denied", `${path} is a stored result and is read-only.`, "Write to a file of the workspace.");

/** A media type is untrusted text, too. */
const extensionOf = (mediaType: string): string => /^[a-z]+\/([a-z0-9]{1,10})\b/.exec(mediaType)?.[1] ?? "bin";
