import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";

const friendly = fileURLToPath(new URL("../../../../../mcp/test/servers/friendly.mjs", import.meta.url));

let place: Scratch;
let mcpJson: string;
let local: string;
beforeAll(() => {
  place = scratch();
  mcpJson = join(place.cwd, ".mcp.json");
  local = join(place.cwd, ".haft/settings.local.json");
  mkdirSync(join(place.cwd, ".haft"), { recursive: true });
});
afterAll(() => place[Symbol.dispose]());

const mcp = (...args: string[]) => place.haft(["mcp", ...args]);
const project = (server: object) => writeFileSync(mcpJson, JSON.stringify({ mcpServers: { own: server } }));

describe("the places of the server definitions", { timeout: 60_000 }, () => {
  it.each(["", "conf"])(
    "Q01 a folder for settings that is not absolute (%j) is none: it would be one of the project's",
    async (folder) => {
      using own = scratch();
      own.write("haft/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } }));
      own.write("conf/haft/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } }));
      const env = { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, HAFT_STATE_DIR: "" };
      const added = await own.haft(["mcp", "add", "--scope", "user", "pal", "--", "true"], { env });
      expect(added.stdout).toBe(
        `Added pal to ${join(own.cwd, "../home/.config/haft/settings.json")}\nTest it: haft mcp get pal\n`,
      );
      const explained = await own.haft(["explain", "Bash", '{"command":"make"}', "--json"], { env });
      expect(JSON.parse(explained.stdout)).toMatchObject({ decision: "ask" });
      const held = await own.haft(["mcp", "add", "--scope", "project", "near", "--", "true"], { env });
      expect(held.stdout).toContain("This folder is not trusted, so its servers do not start yet: haft trust");
    },
  );

  it("Q12 a project's server that leaves its sandbox, or logs in elsewhere, is agreed to anew", async () => {
    await place.haft(["trust"]);
    const command = process.execPath;
    const url = "http://127.0.0.1:9/";
    const pairs = [
      [
        { command, args: [friendly], sandbox: true },
        { command, args: [friendly] },
      ],
      [
        { url, oauth: { issuer: "https://a.example" } },
        { url, oauth: { issuer: "https://b.example" } },
      ],
    ] as const;
    for (const [one, other] of pairs) {
      project(one);
      const shown = await mcp("approve", "own");
      expect(shown.stdout).toMatch(/in the sandbox|logs in at https:\/\/a\.example/);
      project(other);
      const listed = await mcp("list");
      expect(listed.stdout).toContain("not started");
      expect(listed.stdout).toContain("haft mcp approve own");
    }
  });

  it("Q01 a project's server starts in the project's folder, and is agreed to once for all of it", async () => {
    const sub = join(place.cwd, "sub");
    mkdirSync(sub);
    spawnSync("git", ["init", "-q", place.cwd]);
    const script = join(place.cwd, "tool.mjs");
    writeFileSync(script, `await import(${JSON.stringify(friendly)});\n`);
    project({ command: process.execPath, args: ["./tool.mjs"] });
    await mcp("approve", "own");
    const listed = await mcp("list", "--json", "--cwd", sub);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: "own", state: "ready" }]);
    rmSync(mcpJson);
  });

  it("Q01 a name with enabled: false turns off what a project starts", async () => {
    project({ command: process.execPath, args: [friendly] });
    await mcp("approve", "own");
    writeFileSync(local, JSON.stringify({ mcpServers: { own: { enabled: false } } }));
    expect((await mcp("list")).stdout).toBe("own (local): disabled\n");
    const called = await place.haft(["call", "mcp__own__echo", '{"text":"x"}', "--allow", "mcp__own"]);
    expect(called.stderr).toContain("is disabled");
    writeFileSync(local, JSON.stringify({ mcpServers: { own: { enabled: true } } }));
    expect((await mcp("list")).stderr).toContain("must have a command");
    rmSync(local);
    rmSync(mcpJson);
  });

  it("Q10 a pipe or a device in the place of .mcp.json holds nobody up, and is left as it is", async () => {
    spawnSync("mkfifo", [mcpJson]);
    writeFileSync(join(place.cwd, "a.txt"), "words\n");
    const read = await place.haft(["call", "Read", '{"file_path":"a.txt"}']);
    expect(read.stdout).toContain("words");
    const added = await mcp("add", "x", "--scope", "project", "--", "true");
    expect([added.code, added.stderr]).toEqual([2, expect.stringContaining("not a regular file")]);
    rmSync(mcpJson);
    symlinkSync("/dev/zero", mcpJson);
    expect((await mcp("list", "--trust")).stderr).toContain("not a regular file");
    rmSync(mcpJson);
  });

  it.each(["null", '"x"', "[]", '{"mcpServers":[]}'])("Q01 a file that holds %s is not rewritten", async (text) => {
    writeFileSync(mcpJson, text);
    const added = await mcp("add", "x", "--scope", "project", "--", "true");
    expect([added.code, added.stderr]).toEqual([2, expect.stringContaining("was not changed")]);
    expect(readFileSync(mcpJson, "utf8")).toBe(text);
    rmSync(mcpJson);
  });

  it("Q01 the user's settings may lie behind a link, which stays", async () => {
    const config = join(place.env.HOME!, ".config/haft");
    const real = join(place.env.HOME!, "dotfiles.json");
    mkdirSync(config, { recursive: true });
    writeFileSync(real, "{}");
    symlinkSync(real, join(config, "settings.json"));
    expect((await mcp("add", "mine", "--scope", "user", "--", "true")).code).toBe(0);
    expect(lstatSync(join(config, "settings.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, "utf8"))).toHaveProperty("mcpServers.mine");
    expect((await mcp("add", "__proto__", "--", "true")).stderr).toContain("cannot be a server's name");
  });
});
