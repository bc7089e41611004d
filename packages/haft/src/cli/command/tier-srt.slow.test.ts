// The sandbox runtime confines nothing that root starts: here the whole command line runs as an ordinary user.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type Ended, ended, HAFT, type Scratch, scratch } from "../../../test/support/haft-process.ts";
import { isCheckoutHidden } from "../../../test/support/seen-place.ts";

/** An id that no account has. */
const SOMEBODY = 54_321;
const asSomebody =
  process.getuid?.() === 0
    ? ["setpriv", `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, "--clear-groups", process.execPath]
    : [process.execPath];

function ordinary(place: Scratch, ...args: string[]): Promise<Ended> {
  const [program, ...rest] = [...asSomebody, ...HAFT, ...args];
  const child = spawn(program!, rest, { cwd: place.cwd, env: place.env });
  child.stdin.end();
  return ended(child);
}

function settled(): Scratch {
  const place = scratch();
  place.write("rules.json", '{"sandbox": {"tier": "srt"}}');
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${SOMEBODY}:${SOMEBODY}`, dirname(place.cwd)]);
  return place;
}

/** Why it cannot be tried here, by what `haft doctor` finds. */
const missing = await (async () => {
  if (process.platform !== "linux" || spawnSync("setpriv", ["--version"]).error) return "no setpriv";
  using place = settled();
  const { stdout, stderr } = await ordinary(place, "doctor", "--json", "--settings", "rules.json");
  try {
    const { findings } = JSON.parse(stdout) as { findings: { name: string; status: string; detail: string }[] };
    const sandbox = findings.find(({ name }) => name === "sandbox");
    return sandbox?.status === "ok" ? undefined : sandbox?.detail;
  } catch {
    return `it cannot be started by an ordinary user: ${stderr}`;
  }
})();

// The runtime has programs of its own in the checkout, and hides temporary folders.
it.skipIf(missing !== undefined || isCheckoutHidden)(
  "G15 the tier srt keeps a command in the workspace and leaves nothing of its own there",
  { tags: ["smoke"] },
  async () => {
    using place = settled();
    const command = `echo made > made.txt; : > empty; ${JSON.stringify(process.execPath)} -e 'fs.writeFileSync("../out", "")'`;
    const input = JSON.stringify({ command });
    const { stdout } = await ordinary(place, "call", "Bash", input, "--allow", "Bash", "--settings", "rules.json");
    expect(existsSync(join(place.cwd, "../out"))).toBe(false);
    expect(stdout).not.toContain("held");
    expect(readdirSync(place.cwd).sort()).toEqual(["empty", "made.txt", "rules.json"]);
    const undone = await ordinary(place, "undo");
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining("made.txt: file removed")]);
    expect(readdirSync(place.cwd)).toEqual(["rules.json"]);
  },
);
