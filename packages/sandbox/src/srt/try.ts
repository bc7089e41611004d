import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { createProcesses } from "@haft/host/process";
import { closeRuntime, NOTHING, openRuntime } from "./runtime.ts";
import { NOT_FOR_ROOT } from "./weaknesses.ts";

/** Tries whether the runtime confines here. Resolves to the reason and a hint if not, else to `undefined`. */
export async function whyNoRuntime(): Promise<string | undefined> {
  if (process.getuid?.() === 0) return NOT_FOR_ROOT;
  try {
    const runtime = await openRuntime();
    const host = createProcesses({ ahead: false });
    try {
      const cwd = tmpdir();
      const named = { commandId: randomUUID(), commandText: "" };
      const { argv } = await runtime.wrapWithSandboxArgv("echo held", "/bin/bash", NOTHING, undefined, cwd, named);
      const wrap = () => ({ argv, cwd, env: { PATH: process.env.PATH ?? "" } });
      const { stdout, output } = await host.run({ command: "", cwd, timeoutMs: 10_000 }, wrap);
      return stdout === "held\n" ? undefined : `The sandbox runtime does not work here: ${output.trim().slice(0, 300)}`;
    } finally {
      runtime.cleanupAfterCommand();
      await host.close();
      await closeRuntime(runtime);
    }
  } catch (thrown) {
    return (thrown as Error).message;
  }
}
