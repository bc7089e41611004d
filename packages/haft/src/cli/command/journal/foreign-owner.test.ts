import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ended, HAFT, scratch } from "../../../../test/support/haft-process.ts";
import { isCheckoutHidden } from "../../../../test/support/seen-place.ts";

const SOMEBODY = 54_321;
const PLAIN = [`--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, "--clear-groups"];
const canBecome = process.getuid?.() === 0 && spawnSync("setpriv", [...PLAIN, "unshare", "-Urm", "true"]).status === 0;

it.skipIf(!canBecome || isCheckoutHidden)(
  "W05 a command that cannot change a file of another user in its view says which files and what helps",
  async () => {
    using place = scratch();
    place.write("own.txt", "own\n");
    execFileSync("chown", ["-R", `${SOMEBODY}:${SOMEBODY}`, dirname(place.cwd)]);
    const foreign = place.write("foreign.txt", "root's\n");
    chownSync(foreign, 0, 0);
    chmodSync(foreign, 0o666);
    const input = JSON.stringify({ command: "echo more >> foreign.txt; echo more >> own.txt" });
    const argv = [...PLAIN, process.execPath, ...HAFT, "call", "Bash", input, "--mode", "acceptEdits"];
    const child = spawn("setpriv", argv, { cwd: place.cwd, env: place.env });
    child.stdin.end();
    const { stdout } = await ended(child);
    expect(stdout).toContain("foreign.txt: Value too large");
    expect(stdout).toMatch(/files of other users cannot be changed\. `find \. ! -user \$\(id -u\)` lists them/);
    expect(readFileSync(foreign, "utf8")).toBe("root's\n");
    expect(readFileSync(join(place.cwd, "own.txt"), "utf8")).toBe("own\nmore\n");
  },
);
