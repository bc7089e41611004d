import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

// A person at a real terminal. Where tmux is missing there is none to be had, and this is skipped.
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
const socket = `haft-consent-${process.pid}`;
const tmux = (...args: string[]) => execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" });
const server = fileURLToPath(new URL("../../../../../tools/test/mcp/friendly.mjs", import.meta.url));

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  spawnSync("tmux", ["-L", socket, "kill-server"], { stdio: "ignore" });
  place[Symbol.dispose]();
});

const screen = () => tmux("capture-pane", "-p", "-J", "-t", "0");
const shows = (text: string) => expect.poll(screen, { timeout: 20_000, interval: 100 }).toContain(text);
const enter = (text: string) => tmux("send-keys", "-t", "0", text, "Enter");

it.skipIf(!hasTmux)(
  "V10 Q12 a project's server starts for a call after a person has seen its whole command and said yes, once",
  async () => {
    const entry = { command: process.execPath, args: [server, "--some", "argument"], env: { TOKEN: "of-the-project" } };
    place.write(".mcp.json", JSON.stringify({ mcpServers: { shared: entry } }));
    await place.haft(["trust"]);
    const settings = Object.entries(place.env).map(([name, value]) => `${name}=${value}`);
    const call = [...HAFT, "call", "mcp__shared__echo", '{"text":"heard"}'];
    const window = ["-d", "-x", "200", "-y", "45", "-c", place.cwd, "env", "-i", "TERM=screen", ...settings];
    tmux(
      "-f",
      "/dev/null",
      "new-session",
      ...window,
      "sh",
      "-c",
      '"$@"; echo "code $?"; sleep 60',
      "sh",
      process.execPath,
      ...call,
    );
    await shows("Allow? [Y/n]");
    const asked = screen();
    for (const part of [`${server} --some argument`, "with TOKEN=of-the-project"]) expect(asked).toContain(part);
    enter("y");
    await shows("Allow? [Y/n/");
    enter("y");
    await shows("code 0");
    expect(screen()).toContain("heard");
    const again = await place.haft(["call", "mcp__shared__echo", '{"text":"again"}', "--allow", "mcp__shared"]);
    expect([again.code, again.stdout]).toEqual([0, "again\n"]);
  },
  60_000,
);
