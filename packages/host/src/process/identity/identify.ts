import { hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Bound, fail, type Processes, type RunRequest } from "@haft/core/tool";

type Place = Parameters<NonNullable<Processes["identify"]>>[0];

/** Identifies a folder and a program as they are now, see `Processes.identify`. Shell builtins are not programs. */
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

/** A file with its change time: writing into a program changes it too. A folder changes with every file in it. */
async function markOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (!found) return "-";
  return found.isDirectory() ? `${found.dev}:${found.ino}` : `${found.dev}:${found.ino}:${found.ctimeNs}`;
}

/** The variable that marks the processes of a job. Decisions ignore it. */
export const JOB_MARK = "HAFT_JOB";

type Script = Pick<RunRequest, "command" | "env">;

/** The fingerprint of a script, see `Processes.digest`. */
export function scriptDigest({ command, env = {} }: Script): string {
  const names = Object.keys(env).filter((name) => name !== JOB_MARK);
  return hash("sha256", JSON.stringify([command, names.sort()]), "base64url");
}

/** The last check before a shell gets a script: a grant is only for the script that it names. */
export function checkGranted(script: Script, bound: Bound | undefined): void {
  const granted =
    bound?.effects.flatMap((effect) => ("script" in effect && effect.script ? [effect.script] : [])) ?? [];
  if (granted.length === 0 || granted.includes(scriptDigest(script))) return;
  fail(
    "conflict",
    "The script or its variables differ from those granted. Nothing was run.",
    "Run exactly the granted script.",
  );
}
