import { fail, isWithin, normalize, parent } from "../tool/index.ts";
import { createFiles } from "./create-files.ts";
import type { FileBasics, HostPorts } from "./host-ports.ts";

interface Stored {
  readonly bytes: Uint8Array;
  readonly modifiedMs: number;
}

/** A host without a machine: files in memory and no programs. For tests, and for runtimes without a file system. */
export function memoryHost(files: Readonly<Record<string, string | Uint8Array>> = {}): HostPorts {
  return {
    files: createFiles(memoryBasics(files)),
    processes: {
      run: async () =>
        fail("command_not_found", "This host runs no programs.", "Work with files, or use a host that has a shell."),
    },
  };
}

/** Files in a map, by absolute path. A folder exists while there is a file below it. */
export function memoryBasics(files: Readonly<Record<string, string | Uint8Array>> = {}): FileBasics {
  const disk = new Map<string, Stored>();
  const put = (path: string, data: string | Uint8Array): void => {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data.slice();
    disk.set(normalize(path), { bytes, modifiedMs: Date.now() });
  };
  for (const [path, data] of Object.entries(files)) put(path, data);
  const isFolder = (path: string): boolean =>
    path === "/" || [...disk.keys()].some((file) => file !== path && isWithin(path, file));
  const kindOf = (path: string) => (disk.has(path) ? "file" : isFolder(path) ? "directory" : "missing");
  return {
    async locate(path) {
      return { path: normalize(path), kind: kindOf(normalize(path)) };
    },
    async stat(path) {
      const file = disk.get(normalize(path));
      if (file) return { kind: "file", size: file.bytes.length, modifiedMs: file.modifiedMs, mode: 0o644 };
      return isFolder(normalize(path)) ? { kind: "directory", size: 0, modifiedMs: 0, mode: 0o755 } : undefined;
    },
    async read(path) {
      return disk.get(normalize(path))?.bytes.slice() ?? fail("file_not_found", `${path} does not exist.`);
    },
    async list(path) {
      const folder = normalize(path);
      if (kindOf(folder) !== "directory") fail("file_not_found", `There is no folder ${path}.`);
      const below = [...disk].filter(([file]) => file !== folder && isWithin(folder, file));
      const names = new Set(below.map(([file]) => file.slice(folder === "/" ? 1 : folder.length + 1).split("/")[0]!));
      return [...names].map((name) => {
        const file = disk.get(`${folder === "/" ? "" : folder}/${name}`);
        return file ? { path: name, kind: "file", size: file.bytes.length } : { path: name, kind: "directory" };
      });
    },
    async write(path, bytes) {
      for (let above = parent(normalize(path)); above !== "/"; above = parent(above))
        if (disk.has(above)) fail("not_directory", `${above} is a file.`);
      put(path, bytes);
    },
    async remove(path) {
      if (!disk.delete(normalize(path))) fail("file_not_found", `${path} does not exist.`);
    },
  };
}
