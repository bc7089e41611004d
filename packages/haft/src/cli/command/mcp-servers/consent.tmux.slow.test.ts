import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { hasTmux, openTmux } from "../../../../test/support/tmux.ts";

// A person at a real terminal.
const { open, screen, shows, enter, close } = openTmux("consent");
const server = fileURLToPath(new URL("../../../../../mcp/test/servers/friendly.mjs", import.meta.url));

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => {
  close();
  place[Symbol.dispose]();
});

it.skipIf(!hasTmux)(
  "V10 Q12 a project's server starts for a call after a person has seen its whole command and said yes, once",
  { tags: ["smoke"], timeout: 60_000 },
  async () => {
    const entry = { command: process.execPath, args: [server, "--some", "argument"], env: { TOKEN: "of-the-project" } };
    place.write(".mcp.json", JSON.stringify({ mcpServers: { shared: entry } }));
    await place.haft(["trust"]);
    const call = [...HAFT, "call", "mcp__shared__echo", '{"text":"heard"}'];
    open(place, 200, ["sh", "-c", '"$@"; echo "code $?"; sleep 60', "sh", process.execPath, ...call]);
    await shows("Allow? [y/N]");
    const asked = screen();
    for (const part of [`${server} --some argument`, "with TOKEN=of-the-project"]) expect(asked).toContain(part);
    enter("y");
    await shows("Allow? [y/N/");
    enter("y");
    await shows("code 0");
    expect(screen()).toContain("heard");
    const again = await place.haft(["call", "mcp__shared__echo", '{"text":"again"}', "--allow", "mcp__shared"]);
    expect([again.code, again.stdout]).toEqual([0, "again\n"]);
  },
);
