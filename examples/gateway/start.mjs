/**
 * Haft as a gateway in front of three MCP servers, with one policy for all of them, and as a server for clients that
 * others have written. Everything is real: the servers are programs of their own, the clients speak to Haft as to any
 * other server. It ends well only if each client could do what its profile allows, and nothing else.
 *
 *     node scripts/peers.mjs && node examples/gateway/start.mjs
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
// Not ours: the older SDK, which most clients are built with.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const here = dirname(fileURLToPath(import.meta.url));
const haft = join(here, "../../packages/haft/bin/haft.mjs");
const { resolve } = createRequire(import.meta.url);
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-gateway-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const shop = join(scratch, "shop");
mkdirSync(shop);
writeFileSync(join(shop, "prices.txt"), "tea 3\ncoffee 4\n");
const env = { PATH: process.env.PATH ?? "", HOME: scratch, HAFT_STATE_DIR: join(scratch, "state") };

const server = (name, ...args) => ({
  command: process.execPath,
  args: [join(dirname(resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js"), ...args],
});
const settings = write("settings.json", {
  mcpServers: {
    files: server("server-filesystem", shop),
    memory: { ...server("server-memory"), env: { MEMORY_FILE_PATH: join(scratch, "memory.json") } },
    thinking: server("server-sequential-thinking"),
  },
  // One policy for Haft's own tools and for all servers: reading is free, deleting never happens, the rest asks.
  permissions: {
    allow: ["mcp__files__read_text_file", "mcp__files__list_directory", "mcp__memory__read_graph", "mcp__thinking"],
    deny: ["mcp__memory__delete_*", "mcp__files__move_file"],
  },
  server: {
    tools: "all",
    clients: {
      // A profile only takes away. Reports need two tools and no others.
      reports: { allow: ["Read", "mcp__files__read_text_file"], mode: "plan" },
    },
  },
});
const tokens = write("tokens", "editor 4d0f3c2b1a9e8d7c6b5a\nreports 9a8b7c6d5e4f3a2b1c0d\n");

const gateway = spawn(
  process.execPath,
  [
    haft,
    "mcp",
    "--http",
    "--json",
    "--settings",
    settings,
    "--token-file",
    tokens,
    "--cwd",
    shop,
    "--no-user-settings",
  ],
  { env, stdio: ["ignore", "pipe", "ignore"] },
);
const [line] = await once(createInterface({ input: gateway.stdout }), "line");
const { url } = JSON.parse(line);
console.log(`The gateway is at ${url}\n`);

const problems = [];
try {
  await editor();
  await reports();
  await overStdio();
} finally {
  gateway.kill();
  await once(gateway, "close");
}
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length === 0)
  console.log("✓ three servers, one policy · approvals asked of the client's person · a profile only takes away");
process.exitCode = problems.length === 0 ? 0 : 1;

/** Sees everything. A call without an allow rule asks the person behind this client. */
async function editor() {
  const questions = [];
  const client = new Client({ name: "editor", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message.split("\n")[0]);
    return { action: "accept", content: { decision: "allow" } };
  });
  await client.connect(overHttp("4d0f3c2b1a9e8d7c6b5a"));
  const isThere = (server) => (name) => name.startsWith(`mcp__${server}__`);
  const names = await until(client, (list) =>
    ["files", "memory", "thinking"].every((server) => list.some(isThere(server))),
  );
  say(
    "editor",
    `${names.length} tools, ${names.filter((name) => name.startsWith("mcp__")).length} of them from three servers`,
  );
  await tell(client, "editor", "mcp__files__read_text_file", { path: join(shop, "prices.txt") });
  const entity = { name: "tea", entityType: "article", observations: ["costs 3"] };
  await tell(client, "editor", "mcp__memory__create_entities", { entities: [entity] });
  await tell(client, "editor", "Write", { file_path: "note.txt", content: "bought tea\n" });
  for (const question of questions) say("editor", `was asked: ${question}`);
  check("the editor was asked twice", questions.length === 2);
  check("the note was written", existsSync(join(shop, "note.txt")));
  check("what is denied is not listed", !names.includes("mcp__memory__delete_entities"));
  const denied = await client.callTool({ name: "mcp__memory__delete_entities", arguments: { entityNames: ["tea"] } });
  check("what is denied does not run", denied.isError === true);
  await client.close();
}

/** Sees two tools, whatever the policy would allow. */
async function reports() {
  const client = new Client({ name: "reports", version: "1" });
  await client.connect(overHttp("9a8b7c6d5e4f3a2b1c0d"));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  say("reports", names.join(", "));
  check("reports sees two tools", names.length === 2);
  await tell(client, "reports", "Read", { file_path: "prices.txt" });
  await tell(client, "reports", "Bash", { command: "rm prices.txt" });
  check("the prices are still there", existsSync(join(shop, "prices.txt")));
  await client.close();
}

/** The same without a network: the client starts Haft itself. */
async function overStdio() {
  const client = new Client({ name: "desktop", version: "1" });
  const args = [haft, "mcp", "--cwd", shop, "--no-user-settings"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  await tell(client, "desktop", "Grep", { pattern: "tea" });
  await client.close();
}

function overHttp(token) {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
}

/** Servers come when they are ready; clients hear of it, and here we just look again. */
async function until(client, isThere) {
  for (let tries = 0; tries < 100; tries++) {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    if (isThere(names)) return names;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("the servers did not come");
}

async function tell(client, who, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const [first = ""] = (result.content[0]?.text ?? "").trim().split("\n");
  say(who, `${name} ${result.isError ? "✗" : "→"} ${first.slice(0, 100)}`);
}

function say(who, text) {
  console.log(`${who.padEnd(8)} ${text}`);
}

function check(what, isSo) {
  if (!isSo) problems.push(`not so: ${what}`);
}

function write(name, content) {
  const path = join(scratch, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2), { mode: 0o600 });
  return path;
}
