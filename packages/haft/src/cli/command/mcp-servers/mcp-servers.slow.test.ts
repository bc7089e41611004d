import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTierProbe } from "@haft/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../../mcp/test/servers/${name}.mjs`, import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as unknown;

const { bwrap } = await createTierProbe({ workspaces: [], home: "/nowhere" })();

let place: Scratch;
beforeAll(() => {
  place = scratch();
});
afterAll(() => place[Symbol.dispose]());

const mcp = (...args: string[]) => place.haft(["mcp", ...args]);

// Each step is a process of its own, and several start a server.
describe("haft mcp add, list, get, remove, approve, logs", { timeout: 60_000 }, () => {
  it("Q01 a server is added, reached, called from the shell and removed", async () => {
    const local = join(place.cwd, ".haft/settings.local.json");
    const added = await mcp(
      "add",
      "pal",
      "--env",
      "COLOUR=blue=green",
      "-e",
      "B=2",
      "--",
      process.execPath,
      fixture("friendly"),
    );
    expect([added.code, added.stderr]).toEqual([0, ""]);
    expect(read(local)).toEqual({
      mcpServers: {
        pal: { command: process.execPath, args: [fixture("friendly")], env: { COLOUR: "blue=green", B: "2" } },
      },
    });
    const listed = await mcp("list", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: "pal", origin: "local", state: "ready", era: "modern" }]);
    const got = await mcp("get", "pal");
    expect(got.code).toBe(0);
    expect(got.stdout).toContain("mcp__pal__echo");
    const called = await place.haft(["call", "mcp__pal__echo", '{"text":"from the shell"}', "--allow", "mcp__pal"]);
    expect([called.code, called.stdout]).toEqual([0, "from the shell\n"]);
    const explained = await place.haft(["explain", "mcp__pal__add", '{"a":1,"b":2}', "--json"]);
    expect(JSON.parse(explained.stdout)).toMatchObject({ decision: "ask", effects: [{ do: "call", server: "pal" }] });
    expect((await mcp("add", "pal", "--", "x")).code).toBe(2);
    expect((await mcp("remove", "pal")).code).toBe(0);
    expect(read(local)).toEqual({ mcpServers: {} });
  });

  it("Q01 the part behind -- is the program's, and --sandbox confines it", { tags: ["smoke"] }, async () => {
    expect((await mcp("add", "--help")).stdout).toContain("--sandbox");
    expect((await mcp("add", "base", "--sandbox", "--", "db-server", "-h", "localhost", "--help")).code).toBe(0);
    expect(read(join(place.cwd, ".haft/settings.local.json"))).toEqual({
      mcpServers: { base: { command: "db-server", args: ["-h", "localhost", "--help"], sandbox: true } },
    });
    expect((await mcp("remove", "base")).code).toBe(0);
  });

  it("Q01 a secret that the user wrote is kept from list and get, and its file from others", async () => {
    const header = ["--header", "Authorization: Bearer s3cret", "--header", `X-Key: \${KEY:-none}`];
    await mcp("add", "web", "--client-id", "c", "--client-secret", "s3cret", ...header, "http://127.0.0.1:9/");
    const shown = [await mcp("list", "--json"), await mcp("get", "web"), await mcp("get", "web", "--json")];
    for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain("s3cret");
    expect(shown[1]!.stdout).toContain(`header X-Key: \${KEY:-none}`);
    expect(statSync(join(place.cwd, ".haft/settings.local.json")).mode & 0o777).toBe(0o600);
    await mcp("remove", "web");
  });

  it("Q10 a server that fails is shown with its words, and its log can be read afterwards", async () => {
    expect((await mcp("add", "bad")).stderr).toContain("Give its command or its URL");
    await mcp("add", "bad", "--scope", "user", "--", process.execPath, fixture("rough"), "crash-at-start");
    const got = await mcp("get", "bad");
    expect(got.code).toBe(1);
    expect(got.stdout).toContain("cannot find my config");
    expect((await mcp("logs", "bad")).stdout).toContain("cannot find my config");
    expect((await mcp("remove", "bad")).stdout).toContain("settings.json");
  });

  it.runIf(bwrap !== undefined)(
    "Q10 a server that runs in the sandbox is reached by list and get as well",
    async () => {
      const entry = { command: process.execPath, args: [fixture("friendly")], sandbox: true };
      place.write(".haft/settings.local.json", JSON.stringify({ mcpServers: { kept: entry } }));
      const got = await mcp("get", "kept");
      expect([got.code, got.stdout]).toEqual([0, expect.stringContaining("mcp__kept__echo")]);
      await mcp("remove", "kept");
    },
  );

  it("V10 a project's server is left alone until it is trusted and approved", async () => {
    place.write(
      ".mcp.json",
      JSON.stringify({ mcpServers: { theirs: { command: process.execPath, args: [fixture("friendly")] } } }),
    );
    const untrusted = await mcp("list");
    expect(untrusted.stderr).toContain("not trusted");
    expect(untrusted.stdout).toMatch(/theirs \(project\): not started: .*friendly\.mjs\n +The folder is not trusted\./);
    expect((await mcp("get", "theirs")).stdout).toContain("haft trust");
    expect((await mcp("approve", "theirs")).stderr).toContain("the folder is not trusted");
    const call = () => place.haft(["call", "mcp__theirs__echo", '{"text":"x"}', "--allow", "mcp__theirs", "--trust"]);
    expect((await call()).stderr).toMatch(/tool_unavailable: mcp__theirs__echo .*\n?.*haft mcp approve theirs/);
    const waiting = await mcp("list", "--trust");
    expect(waiting.stdout).toContain("not started: ");
    const approved = await mcp("approve", "theirs", "--trust");
    expect(approved.stdout).toContain("friendly.mjs");
    expect((await call()).stdout).toBe("x\n");
    place.write(
      ".mcp.json",
      JSON.stringify({ mcpServers: { theirs: { command: process.execPath, args: ["-e", "evil()"] } } }),
    );
    expect((await mcp("list", "--trust")).stdout).toContain("not started: ");
  });

  it("Q01 a file that begins with a byte order mark is plain JSON", async () => {
    const file = join(place.cwd, ".mcp.json");
    writeFileSync(file, '\u{feff}{ "mcpServers": { "other": { "command": "x" } } }');
    const added = await mcp("add", "marked", "--scope", "project", "--", "y");
    expect([added.code, added.stderr]).toEqual([0, ""]);
    expect(read(file)).toMatchObject({ mcpServers: { other: { command: "x" }, marked: { command: "y" } } });
    rmSync(file);
  });

  it("Q01 an impossible command is refused with its cure", async () => {
    const wrong: [string[], string][] = [
      [["lst"], "Did you mean mcp list?"],
      [["add", "x"], "Usage: haft mcp add"],
      [["add", "a b", "--", "c"], "cannot be a server's name"],
      [["add", "x", "--scope", "projct", "--", "c"], "Did you mean project?"],
      [["add", "x", "--transport", "http", "no-url"], "is not an address"],
      [["add", "x", "--", ""], 'command" is empty'],
      [["add", "x", "ftp://files.example/"], "begins with http:// or https://"],
      [["add", "x", "https://a.example/", "more"], "Nothing may follow the address"],
      [["add", "x", "--env", "A=b", "https://a.example/"], "does not use environment variables"],
      [["add", "x", "--header", "A: b", "--", "c"], "does not use headers"],
      [["add", "x", "--env", "nonsense", "--", "c"], "KEY=VALUE"],
      [["add", "x", "npx", "-y", "a b"], "put -- before the command: haft mcp add x -- npx -y 'a b'"],
      [["add", "bad", "name", "--", "c"], '"name" is between the name and the command'],
      [["add", "x", "-s", "projct", "--", "c"], "Did you mean project?"],
      [["add", "x", "-t", "http", "no-url"], "is not an address"],
      [["add", "x", "--scope", "project", "--trusted", "--", "c"], "cannot mark its own servers"],
      [["add", "x", "--sandbox", "https://a.example/"], "Only a program"],
      [["add", "x", "https://me:s3cret@example.com/"], "Authorization: Basic"],
      [["get", "nobody"], 'There is no MCP server "nobody"'],
      [["remove", "nobody"], "No settings name"],
    ];
    const ends = await Promise.all(wrong.map(([args]) => mcp(...args)));
    for (const [index, { code, stderr }] of ends.entries()) {
      expect([code, stderr]).toEqual([2, expect.stringContaining(wrong[index]![1])]);
    }
    place.write(".haft/settings.local.json", '{ /* mine */ "mcpServers": {} }');
    const commented = await mcp("add", "x", "--", "c");
    expect(commented.stderr).toContain("by hand");
    expect(readFileSync(join(place.cwd, ".haft/settings.local.json"), "utf8")).toContain("mine");
    expect(existsSync(join(place.cwd, ".haft/settings.local.json.new"))).toBe(false);
  });
});
