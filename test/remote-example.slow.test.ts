import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { hasSshd, startSshd } from "./support/ssh-server.ts";

it.runIf(hasSshd)(
  "L01 the example of a remote host works on a machine behind SSH, and takes everything back",
  { tags: ["smoke"], timeout: 90_000 },
  async () => {
    await using server = await startSshd();
    const script = fileURLToPath(new URL("../examples/remote/start.mjs", import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        "--conditions=haft-source",
        "--disable-warning=ExperimentalWarning",
        script,
        server.address(""),
        process.execPath,
      ],
      { encoding: "utf8", env: { ...process.env, PATH: `${server.bin}:${process.env.PATH}` } },
    );
    expect(stdout + stderr).toContain("✓ undo took back what the command changed");
    expect(status).toBe(0);
    expect(readdirSync(homedir()).filter((name) => name.startsWith("haft-remote-example-"))).toEqual([]);
  },
);
