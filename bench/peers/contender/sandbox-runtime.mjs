// @anthropic-ai/sandbox-runtime as a library: wrap a command, run it. Writes are allowed in the folder, the network is not.
import { spawn } from "node:child_process";
import { SandboxManager } from "@anthropic-ai/sandbox-runtime";

export const open = async ({ cwd }) => {
  await SandboxManager.initialize({
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [cwd], denyWrite: [] },
  });
  const shell = async (command) => {
    const wrapped = await SandboxManager.wrapWithSandbox(command);
    const status = await new Promise((resolve, reject) =>
      spawn("/bin/bash", ["-c", wrapped], { cwd, stdio: ["ignore", "pipe", "pipe"] })
        .once("error", reject)
        .once("close", resolve),
    );
    if (status !== 0) throw new Error(`the command ended with ${status}`);
  };
  return {
    ops: {
      shell: ({ command }) => shell(command),
      shellParallel: ({ commands }) => Promise.all(commands.map(shell)),
    },
    close: () => SandboxManager.reset(),
  };
};
