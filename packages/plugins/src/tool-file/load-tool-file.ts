import { basename, extname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Tool } from "@haft/core/tool";
import { toolIn } from "./foreign-tool.ts";

/** The tools of a file, or why it has none: with the line, where the error names one. */
export type LoadedFile = { readonly tools: readonly Tool[] } | { readonly problem: string };

/** A module may take this long until it is ready. */
const MOST_MS = 10_000;

/** Packages that a tool file may import although its project does not have them. */
const OURS = /^(?:haft|@haft\/core|zod)(?:\/|$)/;

/** Loads a module and finds the tools among its exports. `version` differs for each state of the file. */
export async function loadToolFile(file: string, version: string): Promise<LoadedFile> {
  const extension = extname(file);
  if (/ts$/.test(extension) && process.features.typescript === false)
    return { problem: `${file}: this Node does not read TypeScript. Use Node 22.18 or newer, or write JavaScript.` };
  lendPackages();
  const name = basename(file, extension);
  try {
    const url = `${pathToFileURL(file).href}?v=${encodeURIComponent(version)}`;
    const ended = new AbortController();
    const late = wait(MOST_MS, undefined, { ref: false, signal: ended.signal }).then(() => {
      throw new Error(`its module is not ready after ${MOST_MS / 1000} seconds`);
    });
    late.catch(() => undefined);
    const loading = import(/* @vite-ignore */ url) as Promise<Readonly<Record<string, unknown>>>;
    const module = await Promise.race([loading, late]).finally(() => ended.abort());
    const tools = Object.entries(module).flatMap(([key, value]) => toolIn(value, key === "default" ? name : key) ?? []);
    return tools.length > 0
      ? { tools }
      : { problem: `${file} exports no tool. Export one that defineTool made, as default or by a name.` };
  } catch (thrown) {
    return { problem: `${placeOf(thrown, file)}: ${thrown instanceof Error ? firstLine(thrown) : String(thrown)}` };
  }
}

/** The file with the line of an error, from its stack: the first line that is in the file itself. */
function placeOf(thrown: unknown, file: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const url = pathToFileURL(file).href;
  for (const name of [url, file]) {
    const at = stack.indexOf(name);
    const line = at < 0 ? undefined : /^(?:\?v=[^:\s)]*)?:(\d+)/.exec(stack.slice(at + name.length))?.[1];
    if (line !== undefined) return `${file}:${line}`;
  }
  return file;
}

const firstLine = ({ name, message }: Error): string => `${name}: ${message.split("\n")[0]}`;

let lent = false;

/** Lets modules that cannot find one of our packages find the one of this Haft. Does nothing on a Node without such hooks. */
function lendPackages(): void {
  // An import of the name would keep an old Node from the message about its version.
  const { registerHooks } = process.getBuiltinModule("node:module");
  if (lent || typeof registerHooks !== "function") return;
  lent = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (thrown) {
        if (!OURS.test(specifier) || (thrown as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
        return next(specifier, { ...context, parentURL: pathToFileURL(fileURLToPath(import.meta.url)).href });
      }
    },
  });
}
