import { tmpdir } from "node:os";
import type { Workspace } from "@haft/core/policy";
import type { Processes } from "@haft/core/tool";
import { confinedEnvironment, createProcesses, environmentOf, onlyReads, type ProcessesOptions } from "@haft/tools";

/** Programs of which those that only read get no more of the user's environment than they would in a sandbox. */
export interface LeanReaders extends Processes {
  close(): Promise<void>;
}

/**
 * `plain`, for where no sandbox works or none is wanted. What only reads runs unasked and shows its output to the model: keys and
 * tokens of the user's environment must not be in it, nor programs that the workspace brings along.
 */
export function leanReaders(
  plain: Processes,
  set: Readonly<Record<string, string>>,
  { root, additional }: Workspace,
  around?: ProcessesOptions["around"],
): LeanReaders {
  const base = confinedEnvironment(environmentOf(), { temporary: tmpdir(), notFrom: [root, ...additional] });
  const lean = createProcesses({ environment: { base, set }, ...(around ? { around } : {}) });
  return {
    ...plain,
    run: (request) => (request.bound && onlyReads(request.bound) ? lean : plain).run(request),
    close: () => lean.close(),
  };
}
