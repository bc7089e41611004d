import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mcpServersCommand } from "../dispatch.ts";

let base: string;
let home: string;
let cwd: string;
let printed: string;
const words = (text: unknown, ...more: unknown[]) => {
  printed += String(text);
  for (const done of more) if (typeof done === "function") done();
  return true;
};
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-foreign-")));
  [home, cwd] = [join(base, "home"), join(base, "work")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(home);
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", "");
  vi.stubEnv("HAFT_STATE_DIR", join(base, "state"));
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation(words);
  vi.spyOn(process.stderr, "write").mockImplementation(words);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const mcp = (...args: string[]) => mcpServersCommand([...args, "--cwd", cwd])!;
const saved = () => JSON.parse(readFileSync(join(home, ".config/haft/settings.json"), "utf8")).mcpServers;

/** The same two servers as each program writes them: a program with a variable, and an address with a header. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: VS Code writes its inputs so.
const LISTS: Readonly<Record<string, readonly [file: string, text: string]>> = {
  claude: [
    ".claude.json",
    '{"mcpServers": {"db": {"type": "stdio", "command": "db", "args": ["-x"], "env": {"K": "v"}}, "far": {"type": "http", "url": "https://a.example/mcp", "headers": {"A": "b"}}}}',
  ],
  "claude-desktop": [
    ".config/Claude/claude_desktop_config.json",
    '{"mcpServers": {"db": {"command": "db", "args": ["-x"], "env": {"K": "v"}}, "far": {"url": "https://a.example/mcp", "headers": {"A": "b"}}}}',
  ],
  cursor: [
    ".cursor/mcp.json",
    '{"mcpServers": {"db": {"command": "db", "args": ["-x"], "env": {"K": "v"}}, "far": {"url": "https://a.example/mcp", "headers": {"A": "b"}}}}',
  ],
  vscode: [
    ".config/Code/User/mcp.json",
    '{// mine\n"servers": {"db": {"type": "stdio", "command": "db", "args": ["-x"], "env": {"K": "v"}}, "far": {"type": "http", "url": "https://a.example/mcp", "headers": {"A": "b"}}, "asks": {"command": "x", "env": {"T": "${input:token}"}}}}',
  ],
  gemini: [
    ".gemini/settings.json",
    '{"mcpServers": {"db": {"command": "db", "args": ["-x"], "env": {"K": "v"}, "trust": true}, "far": {"httpUrl": "https://a.example/mcp", "headers": {"A": "b"}}}}',
  ],
  opencode: [
    ".config/opencode/opencode.json",
    '{"mcp": {"db": {"type": "local", "command": ["db", "-x"], "environment": {"K": "v"}}, "far": {"type": "remote", "url": "https://a.example/mcp", "headers": {"A": "b"}}}}',
  ],
  codex: [
    ".codex/config.toml",
    '# mine\n[mcp_servers.db]\ncommand = "db"\nargs = ["-x"]\nenv = { K = "v" }\n\n[mcp_servers.far]\nurl = "https://a.example/mcp"\nhttp_headers = { A = "b" }\n',
  ],
};

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: VS Code writes its inputs so.

describe.skipIf(process.platform !== "linux")("haft mcp import", () => {
  it.each(Object.keys(LISTS))("Q01 reads the list of %s, and shows each command before it counts", async (name) => {
    put(join(home, LISTS[name]![0]), LISTS[name]![1]);
    await expect(mcp("import", name)).rejects.toThrow("no terminal is attached");
    expect(printed).toContain("db -x\nwith K=v");
    expect(await mcp("import", name, "--yes")).toBe(0);
    expect(saved()).toEqual({
      db: { command: "db", args: ["-x"], env: { K: "v" } },
      far: { type: "http", url: "https://a.example/mcp", headers: { A: "b" } },
    });
    if (name === "vscode") expect(printed).toMatch(/it needs \$\{input:token\}/);
    expect(await mcp("import", name, "--yes")).toBe(0);
    expect(printed).toContain("has a server of this name");
  });

  it("Q12 reads a project's list only in a trusted folder, and keeps trust and a switch out", async () => {
    put(
      join(cwd, ".gemini/settings.json"),
      '{"mcpServers": {"own": {"command": "x", "trust": true, "includeTools": ["a"]}}}',
    );
    expect(await mcp("import", "gemini", "--yes")).toBe(0);
    expect(printed).toContain("They are read after haft trust");
    expect(await mcp("import", "gemini", "--yes", "--trust")).toBe(0);
    expect(saved()).toEqual({ own: { command: "x", args: [], allowedTools: ["a"] } });
  });

  it("Q01 refuses a broken file, an unknown program, and an entry that is no server", async () => {
    put(join(home, ".cursor/mcp.json"), "{");
    await expect(mcp("import", "cursor")).rejects.toThrow("not a JSON object");
    await expect(mcp("import", "cusor")).rejects.toThrow("not known");
    put(join(home, ".cursor/mcp.json"), '{"mcpServers": {"x": {"args": []}}}');
    expect(await mcp("import", "cursor")).toBe(0);
    expect(printed).toContain("neither a command nor an address");
  });

  it("Q01 add-json takes what the documentation of servers shows", async () => {
    expect(await mcp("add-json", "db", '{"command": "db", "args": ["-x"]}', "--scope", "user")).toBe(0);
    expect(saved()).toEqual({ db: { command: "db", args: ["-x"] } });
    await expect(mcp("add-json", "db", '{"args": []}')).rejects.toThrow('neither "command" nor "url"');
    await expect(mcp("add-json", "db", "{")).rejects.toThrow("not JSON");
  });
});

describe.skipIf(process.platform !== "linux")("haft mcp install", () => {
  it.each(Object.keys(LISTS))(
    "Q01 puts Haft into the list of %s once, keeps all else, and takes it out",
    async (name) => {
      process.argv[1] = "/opt/haft/bin/haft.mjs";
      const [path, before] = LISTS[name]!;
      const file = join(home, path);
      put(file, before);
      await expect(mcp("install", name)).rejects.toThrow("no terminal is attached");
      expect(await mcp("install", name, "--gateway", "--yes")).toBe(0);
      const once = readFileSync(file, "utf8");
      for (const word of ["/opt/haft/bin/haft.mjs", "--gateway", process.execPath]) expect(once).toContain(word);
      if (before.includes("mine")) expect(once).toContain("mine");
      expect(await mcp("install", name, "--gateway", "--yes")).toBe(0);
      expect(readFileSync(file, "utf8")).toBe(once);
      expect(printed).toContain("Nothing to do");
      expect(await mcp("install", name, "--remove", "--yes")).toBe(0);
      const after = readFileSync(file, "utf8");
      expect(after).not.toContain("/opt/haft");
      expect(after).toContain("a.example");
    },
  );

  it("Q01 makes the file where there is none", async () => {
    expect(await mcp("install", "cursor", "--project", "--yes")).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, ".cursor/mcp.json"), "utf8"))).toMatchObject({
      mcpServers: { haft: { command: process.execPath } },
    });
    await expect(mcp("install", "claude-desktop", "--project", "--yes")).rejects.toThrow("no project settings");
  });
});
