import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsText } from "@haft/core/tool";
import { createTierProbe } from "@haft/sandbox";
import { describe, expect, it } from "vitest";
import { mcpWorkspace, serverEntry, USER_SETTINGS } from "../../../test/support/mcp-workspace.ts";
import { isCheckoutHidden } from "../../../test/support/seen-place.ts";

const { bwrap } = await createTierProbe({ workspaces: [], home: "/nowhere" })();

const installed = (path: string) => fileURLToPath(new URL(`../../../../../node_modules/${path}`, import.meta.url));

/** A real server that reads and writes files wherever it is let. */
const files = (base: string, more: object = {}) => ({
  command: process.execPath,
  args: [installed("@modelcontextprotocol/server-filesystem/dist/index.js"), base],
  sandbox: true,
  ...more,
});

/** The processes of this machine that carry a word in their command line. */
function running(mark: string): string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}

describe.runIf(bwrap !== undefined && !isCheckoutHidden)("servers in the sandbox", { timeout: 60_000 }, () => {
  async function opened(rules: object = {}) {
    const place = mcpWorkspace({ "home/.ssh/id_ed25519": "PRIVATE", "work/secret.txt": "forbidden", "out/x": "x" });
    const haft = await place.open({ mode: "bypassPermissions", rules });
    haft.mcp.add({ name: "files", ...files(place.base) });
    await haft.mcp.settled();
    expect(haft.mcp.list()[0]?.error).toBeUndefined();
    return {
      ...place,
      haft,
      call: (tool: string, input: object) => haft.call(`mcp__files__${tool}`, input),
      async [Symbol.asyncDispose]() {
        await haft[Symbol.asyncDispose]();
        place[Symbol.dispose]();
      },
    };
  }

  it("Q10 a confined server writes the workspace and nothing else, in spite of its arguments", async () => {
    await using place = await opened();
    const inside = join(place.cwd, "made.txt");
    expect((await place.call("write_file", { path: inside, content: "by the server" })).error).toBeUndefined();
    expect(readFileSync(inside, "utf8")).toBe("by the server");
    const outside = join(place.base, "out", "made.txt");
    expect((await place.call("write_file", { path: outside, content: "escaped" })).error).toBeDefined();
    expect(existsSync(outside)).toBe(false);
    const key = await place.call("read_text_file", { path: join(place.base, "home/.ssh/id_ed25519") });
    expect(contentsText(key.content)).not.toContain("PRIVATE");
  });

  it("Q02 a confined server's bound is known: the effects of its tools say so, and the kernel holds it", async () => {
    await using place = await opened();
    const { effects } = await place.haft.explain("mcp__files__write_file", { path: "x", content: "y" });
    expect(effects).toEqual([
      { do: "call", basis: "enforced", server: "files", tool: "write_file", change: true },
      { do: "read", basis: "enforced", path: "/", as: "/", tree: true },
      { do: "write", basis: "enforced", path: place.cwd, as: place.cwd, tree: true, change: "modify" },
    ]);
  });

  it("Q06 a path that a rule forbids below the workspace is cut out of it", async () => {
    await using place = await opened({ deny: ["Read(secret.txt)"] });
    const read = await place.call("read_text_file", { path: join(place.cwd, "secret.txt") });
    expect(contentsText(read.content)).not.toContain("forbidden");
  });

  it("Q10 a confined server reaches no network, not even this machine", async () => {
    let asked = 0;
    const listener = createServer((_, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as AddressInfo;
    using place = mcpWorkspace();
    await using haft = await place.open();
    const script = `fetch("http://127.0.0.1:${port}/").then(() => console.error("reached"), () => console.error("no way"));`;
    haft.mcp.add({
      name: "curious",
      command: process.execPath,
      args: ["-e", `${script} setTimeout(() => {}, 2000)`],
      sandbox: true,
    });
    await expect.poll(() => haft.mcp.logs("curious").join(), { timeout: 20_000 }).toContain("no way");
    expect(asked).toBe(0);
    await new Promise((resolve) => listener.close(resolve));
  });

  it("Q10 a server in the sandbox whose program is not there is told to be missing", async () => {
    using place = mcpWorkspace();
    await using haft = await place.open();
    haft.mcp.add({ name: "absent", command: "no-such-program-anywhere", sandbox: true });
    await haft.mcp.settled();
    expect(haft.mcp.list()[0]?.error).toMatchObject({
      hint: expect.stringMatching(/^It found no program of that name/),
    });
  });

  it("Q10 a stubborn server in the sandbox is gone after its host was killed with SIGKILL", async () => {
    using place = mcpWorkspace();
    const mark = `stubborn-${randomUUID()}`;
    const script = fileURLToPath(new URL("../../../test/support/confined-host.ts", import.meta.url));
    const [, server = ""] = [serverEntry("rough").command, ...serverEntry("rough").args];
    const args = [
      "--conditions=haft-source",
      "--disable-warning=ExperimentalWarning",
      script,
      place.base,
      server,
      mark,
    ];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [said] = (await once(host.stdout, "data")) as [Buffer];
    expect(said.toString()).toBe("ready\n");
    expect(running(mark).length).toBeGreaterThan(1);
    host.kill("SIGKILL");
    await expect.poll(() => running(mark), { timeout: 5_000 }).toEqual([]);
  });
});

/** A server of one file, with a module that is installed beside it. */
const TEMPORARY_SERVER = {
  "package.json": { name: "pal", type: "module" },
  "node_modules/greeting/package.json": { name: "greeting", type: "module", exports: "./index.js" },
  "node_modules/greeting/index.js": 'export const greeting = "installed beside it";',
  "bin/pal.js": [
    'import { createInterface } from "node:readline";',
    'import { existsSync } from "node:fs";',
    'import { greeting } from "greeting";',
    "const answers = {",
    "  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'pal', version: '1' } }),",
    "  'tools/list': () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] }),",
    "  'tools/call': () => ({ content: [{ type: 'text', text: greeting + ' ' + existsSync(process.argv[2]) }] }),",
    "};",
    "createInterface({ input: process.stdin }).on('line', (line) => {",
    "  const { id, method } = JSON.parse(line);",
    "  const result = answers[method]?.();",
    "  const error = { code: -32601, message: 'unknown' };",
    "  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));",
    "});",
  ].join("\n"),
};

it.runIf(bwrap !== undefined)(
  "Q10 a confined server whose program lies in a temporary folder sees it, and nothing else there",
  { timeout: 60_000 },
  async () => {
    using place = mcpWorkspace();
    using elsewhere = mcpWorkspace(TEMPORARY_SERVER);
    using foreign = mcpWorkspace({ "out/of-others": "x" });
    await using haft = await place.open({ mode: "bypassPermissions" });
    const script = join(elsewhere.base, "bin/pal.js");
    const others = join(foreign.base, "out/of-others");
    haft.mcp.add({ name: "pal", command: process.execPath, args: [script, others], sandbox: true });
    await haft.mcp.settled();
    expect(haft.mcp.list()[0]?.error).toBeUndefined();
    expect(contentsText((await haft.call("mcp__pal__look", {})).content)).toContain("installed beside it false");
  },
);

it("Q10 without a sandbox a server that needs one is not started, and says so", { tags: ["smoke"] }, async () => {
  using place = mcpWorkspace({
    [USER_SETTINGS]: { mcpServers: { pal: { ...serverEntry("friendly"), sandbox: true } } },
  });
  mkdirSync(join(place.base, "empty"));
  await using haft = await place.open({ stateDir: false });
  await haft.mcp.settled();
  expect(haft.mcp.list()[0]).toMatchObject({ state: "failed", error: { code: "sandbox_unavailable" } });
});
