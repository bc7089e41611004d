/** Facts about the machine and the programs, for the page with the figures. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";

export interface MachineFacts {
  readonly date: string;
  readonly processor: string;
  readonly processors: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Load average over one minute when the part ended: the part's own work is in it. */
  readonly load: number;
  readonly versions: Readonly<Record<string, string>>;
}

const here = import.meta.dirname;

export const machineFacts = (): MachineFacts => ({
  date: new Date().toISOString().slice(0, 10),
  processor: cpus()[0]?.model.trim() ?? "unknown",
  processors: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
  load: Number(loadavg()[0]!.toFixed(2)),
  versions: versions(),
});

function versions(): Record<string, string> {
  const { dependencies } = json(join(here, "package.json")) as { dependencies: Record<string, string> };
  const haft = json(join(here, "../../packages/haft/package.json")) as { version: string };
  return { haft: `${haft.version} (${commit()})`, ...dependencies };
}

const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: here, encoding: "utf8" }).trim();
  } catch {
    return "no commit";
  }
}
