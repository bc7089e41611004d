// Whether commands change anything: a digest of a folder, taken before and after they really ran.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** A digest of names, types, modes, links and contents below `folder`. */
export function digest(folder: string): string {
  const hash = createHash("sha256");
  const walk = (path: string): void => {
    for (const name of readdirSync(path).sort()) {
      const file = join(path, name);
      const facts = lstatSync(file);
      hash.update(`${file}\0${facts.mode}\0`);
      if (facts.isDirectory()) walk(file);
      else hash.update(facts.isSymbolicLink() ? readlinkSync(file) : readFileSync(file));
    }
  };
  walk(folder);
  return hash.digest("hex");
}

/** The place in which commands run: they may write below `top`, and have no network. */
export interface Pen {
  readonly top: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs commands one after the other, each for two seconds at most. */
export function runPenned(commands: readonly string[], { top, cwd, env }: Pen): void {
  const script = commands
    .map((one) => `timeout -k 1 2 bash --noprofile --norc -c ${quoted(one)} </dev/null >/dev/null 2>&1`)
    .join("\n");
  const walls = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--bind",
    top,
    top,
    "--unshare-all",
    "--die-with-parent",
  ];
  const argv = [...walls, "--new-session", "--chdir", cwd, "bash", "--noprofile", "--norc", "-c", script];
  const { error } = spawnSync("bwrap", argv, { env: { PATH: "/usr/bin:/bin", HOME: top, ...env }, timeout: 120_000 });
  if (error) throw error;
}

/** Runs commands in lots and gives back those of which one changed something; the first of them by itself, if it can be told. */
export function firstChange(commands: readonly string[], pen: Pen): readonly string[] {
  const before = digest(pen.top);
  for (let at = 0; at < commands.length; at += 25) {
    const lot = commands.slice(at, at + 25);
    runPenned(lot, pen);
    if (digest(pen.top) === before) continue;
    return lot
      .filter((command) => {
        const sofar = digest(pen.top);
        runPenned([command], pen);
        return digest(pen.top) !== sofar;
      })
      .concat(`in: ${lot.join(" ## ")}`);
  }
  return [];
}
