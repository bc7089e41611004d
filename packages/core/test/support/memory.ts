import { createHash } from "node:crypto";
import type { Files, Ports } from "@haft/core/tool";
import { basename, fail, isWithin, parent } from "@haft/core/tool";

export interface MemoryOptions {
  readonly delayMs?: number;
  /** Reading and writing wait for it. */
  readonly hold?: () => Promise<void>;
}

/** A file system in a Map, for tests of the machine: real enough to lose an update in. */
export function memoryFiles(disk: Map<string, string>, options: MemoryOptions = {}): Files {
  /** A while that differs by file, so that calls overtake each other wherever the scheduler lets them. */
  const pause = async (path: string) => {
    if (options.hold) return options.hold();
    if (options.delayMs !== undefined) return new Promise((resolve) => setTimeout(resolve, options.delayMs));
    for (let turns = path.charCodeAt(path.length - 1) % 3; turns >= 0; turns--) await new Promise(setImmediate);
  };
  const isFolder = (path: string) =>
    path === "/" || [...disk.keys()].some((file) => isWithin(path, file) && file !== path);
  const contentOf = (path: string): string => disk.get(path) ?? fail("file_not_found", `${path} does not exist.`);
  return {
    async locate(path) {
      return { path, kind: disk.has(path) ? "file" : isFolder(path) ? "directory" : "missing" };
    },
    async stat(path) {
      const size = disk.get(path)?.length;
      return size === undefined ? undefined : { kind: "file", size, modifiedMs: 0, mode: 0o644 };
    },
    async bytes(path) {
      return new TextEncoder().encode(contentOf(path));
    },
    async text(path) {
      await pause(path);
      const text = contentOf(path);
      return { text, encoding: "utf-8", bom: false, eol: "\n", hash: hashOf(text) };
    },
    async lines(path) {
      const lines = contentOf(path).split("\n");
      return { lines, first: 1, total: lines.length, whole: true, cut: [], hash: hashOf(contentOf(path)) };
    },
    async list(path) {
      const inside = [...disk.keys()].filter((file) => parent(file) === path);
      return inside.map((file) => ({ path: basename(file), kind: "file" as const }));
    },
    async write(path, data, { expect } = {}) {
      await pause(path);
      const now = disk.get(path);
      if (expect !== undefined && expect !== (now === undefined ? "absent" : hashOf(now))) fail("file_changed", path);
      disk.set(path, String(data));
      return { hash: hashOf(String(data)), bytes: String(data).length };
    },
    async remove(path, { expect } = {}) {
      await pause(path);
      const now = disk.get(path) ?? fail("file_not_found", path);
      if (expect !== undefined && expect !== hashOf(now)) fail("file_changed", path);
      disk.delete(path);
    },
    async find({ root, isVisible = () => true }) {
      const paths = [...disk.keys()].filter((file) => isWithin(root, file) && isVisible(file));
      return { paths, total: paths.length };
    },
    /** Every file fits. */
    async search({ root, isVisible = () => true }) {
      const found = [...disk.keys()].filter((file) => isWithin(root, file) && isVisible(file));
      return {
        engine: "builtin",
        matches: [],
        files: found.map((path) => ({ path, count: 1 })),
        total: found.length,
      };
    },
    async gitConfig() {
      return undefined;
    },
    async show() {},
    async seen() {
      return undefined;
    },
  };
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export function memoryPorts(disk = new Map<string, string>(), options: MemoryOptions = {}): Ports {
  const values = new Map<string, unknown>();
  return {
    files: memoryFiles(disk, options),
    processes: { run: () => fail("command_not_found", "There is no shell in memory.") },
    net: { fetch: () => fail("fetch_failed", "There is no network in memory.") },
    clock: {
      now: () => performance.now(),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener("abort", () => [clearTimeout(timer), reject(signal.reason)], { once: true });
        }),
    },
    state: {
      get: <T>(name: string) => values.get(name) as T | undefined,
      set: (name, value) => void values.set(name, value),
    },
  };
}
