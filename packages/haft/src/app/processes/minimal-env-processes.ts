import { tmpdir } from "node:os";
import { onlyReads, type Workspace } from "@haft/core/policy";
import { type Bound, fail, type Processes, type RunOutcome } from "@haft/core/tool";
import type { EnvironmentOptions, HostProcesses, ProcessesOptions } from "@haft/host";
import { createProcesses, environmentOf } from "@haft/host/process";
import { confinedEnvironment } from "@haft/sandbox/facts";
import type { WithheldReads } from "./withheld-reads.ts";

/** Runs programs. Those that only read get no more of the user's environment than they would in a sandbox. */
export interface MinimalEnvProcesses extends Processes {
  /** Fails for a job that would be held back: once it runs in the background, nobody can be asked for the missing reads. */
  refuse(bound: Bound | undefined): Promise<undefined>;
  close(): Promise<void>;
}

export interface MinimalEnvOptions {
  /** Extra environment variables for commands. */
  readonly set: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  readonly around?: ProcessesOptions["around"];
  /** Whether private files need approval. They do not in the mode that never asks. */
  readonly keepsPrivate: () => boolean;
}

/** The user's environment for programs that only read, sandboxed or not: without secrets, and without programs of the workspace. */
export const minimalEnvironment = (
  set: Readonly<Record<string, string>>,
  { root, additional }: Pick<Workspace, "root" | "additional">,
): EnvironmentOptions => ({
  base: confinedEnvironment(environmentOf(), { temporary: tmpdir(), notFrom: [root, ...additional] }),
  set,
});

/**
 * Wraps `plain` for machines where no sandbox works or none is wanted. Programs that only read run without asking and show
 * their output to the model. So API keys and tokens of the user's environment must not be in it, nor programs that the
 * workspace brings.
 */
export function minimalEnvProcesses(plain: Processes, options: MinimalEnvOptions): MinimalEnvProcesses {
  const { set, workspace, around, keepsPrivate } = options;
  let reads: WithheldReads | undefined;
  let lean: HostProcesses | undefined;
  const open = (): HostProcesses =>
    createProcesses({ environment: minimalEnvironment(set, workspace), ...(around ? { around } : {}) });

  async function withholds(bound: Bound | undefined): Promise<RunOutcome | undefined> {
    if (!bound || !onlyReads(bound)) return undefined;
    const { withheldReads } = await import("./withheld-reads.ts");
    reads ??= withheldReads(workspace, keepsPrivate);
    return reads(bound);
  }

  return {
    ...plain,
    async refuse(bound) {
      const { denied } = (await withholds(bound)) ?? {};
      if (denied !== undefined)
        fail("sandbox_denied", denied, "Run it in the foreground, where a person can be asked.");
    },
    async run(request) {
      const { bound } = request;
      if (!bound || !onlyReads(bound)) return plain.run(request);
      const withheld = await withholds(bound);
      if (withheld) return withheld;
      lean ??= open();
      return lean.run(request);
    },
    close: async () => lean?.close(),
  };
}
