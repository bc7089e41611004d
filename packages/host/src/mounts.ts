import { readFileSync } from "node:fs";
import { isWithin } from "@haft/core/tool";

/** A line of the kernel's mount table. */
export interface MountEntry {
  /** Numbers of the device, such as `8:1`. */
  readonly device: string;
  /** The path of the mounted folder or file in its file system. */
  readonly from: string;
  /** The place where it is mounted. */
  readonly path: string;
}

/** The mounts below a folder. Fails without the table of the kernel, which only Linux has. */
export const mountsBelow = (root: string): readonly MountEntry[] =>
  readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, , device, from, path] = line.split(" ").map(unescaped);
      if (device === undefined || from === undefined || path === undefined) return [];
      return path !== root && isWithin(root, path) ? [{ device, from, path }] : [];
    });

/** A path in the escaping of the kernel's mount table. */
export const escapedMount = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);

const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
