import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Processes } from "@haft/core/tool";

type Place = Parameters<NonNullable<Processes["identify"]>>[0];

/** What a folder and a program are right now, see `Processes.identify`. Words of the shell itself are no programs. */
export async function identify({ cwd, program }: Place, path: string): Promise<string> {
  const folder = await markOf(cwd);
  return program === undefined ? folder : `${folder} ${await programMark(program, cwd, path)}`;
}

async function programMark(program: string, cwd: string, path: string): Promise<string> {
  if (program.includes("/")) return markOf(resolve(cwd, program));
  for (const folder of path.split(":")) {
    const mark = await markOf(resolve(cwd, folder || ".", program));
    if (mark !== "-") return `${folder} ${mark}`;
  }
  return "-";
}

/** File and moment of its last change: writing into a program changes it too. A folder changes with every file in it. */
async function markOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (!found) return "-";
  return found.isDirectory() ? `${found.dev}:${found.ino}` : `${found.dev}:${found.ino}:${found.ctimeNs}`;
}
