import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** Runs a module in a process of its own, as far as it keeps itself running. `module`: the file that it imports as `tested`. */
export function runModule(module: URL, script: string, ...args: readonly string[]) {
  const source = `import * as tested from ${JSON.stringify(module.href)};\n${script}`;
  const options = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning", "--input-type=module"];
  const argv = [...options, "-e", source, ...args];
  const { status, stdout } = spawnSync(process.execPath, argv, { encoding: "utf8", timeout: 60_000 });
  return { status, stdout };
}

/** The ids of the processes that this one has started and that run, or were not collected yet. */
export const children = (): readonly number[] =>
  readdirSync(`/proc/${process.pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${process.pid}/task/${task}/children`, "utf8").split(" "))
    .filter((id) => id !== "")
    .map(Number);
