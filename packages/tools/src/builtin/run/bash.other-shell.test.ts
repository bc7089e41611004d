import type { Effect } from "@haft/core/tool";
import { createHost } from "@haft/host/process";
import { expect, it } from "vitest";
import { bash } from "./bash.ts";

/** The result of a command on a machine that has only this shell. */
async function effectsIn(shell: string, command: string): Promise<readonly Effect[]> {
  const host = createHost({ cwd: "/", processes: { shell } });
  try {
    const context = { cwd: "/", home: "/home/u", ports: host.ports, locate: host.ports.files.locate };
    return await bash.effects({ command }, { ...context, forbids: () => false });
  } finally {
    await host.close();
  }
}
const isKnown = (effects: readonly Effect[]): boolean => effects.every(({ do: word }) => word !== "unknown");

it("G06 a machine without bash reads only what both shells read alike", async () => {
  const hidden = `echo "\${x:-'}"; touch pwned; echo "'}"`;
  expect(isKnown(await effectsIn("/bin/sh", hidden))).toBe(false);
  expect(isKnown(await effectsIn("/bin/sh", "echo {a,b}"))).toBe(false);
  expect(isKnown(await effectsIn("/bin/bash", "echo {a,b}"))).toBe(true);
  expect(isKnown(await effectsIn("/bin/sh", "ls | wc -l"))).toBe(true);
});
