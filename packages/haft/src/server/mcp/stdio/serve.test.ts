import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let place: Scratch;
let client: Client;

beforeAll(async () => {
  place = scratch();
  place.write("a.txt", "hello\n");
  client = await connect("--allow", "Bash");
});
afterAll(async () => {
  await client.close();
  place[Symbol.dispose]();
});

/** The real client, over the standard input and output of a real process. */
async function connect(...args: string[]): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...HAFT, "mcp", ...args],
    cwd: place.cwd,
    env: place.env,
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return client;
}

const textOf = (result: unknown): string =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n");

it("Q13 lists the offer with titles, schemas and honest annotations, the same each time", async () => {
  const [first, second] = [await client.listTools(), await client.listTools()];
  expect(second).toEqual(first);
  const find = (name: string) => first.tools.find((tool) => tool.name === name);
  expect(find("Read")).toMatchObject({
    title: "Read file",
    inputSchema: { type: "object", required: ["file_path"] },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  });
  expect(find("Write")?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(find("Bash")?.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: true });
});

it("Q13 lists schemas of plain JSON Schema: strict validators and some providers refuse a format of our own", async () => {
  const { tools } = await client.listTools();
  const listed = await place.haft(["tools", "list", "--json"]);
  for (const text of [JSON.stringify(tools), JSON.stringify(JSON.parse(listed.stdout))]) {
    expect(text).toContain('"file_path":{"');
    expect(text.match(/"format":"(?!date|uri|email|uuid)[^"]*"/g)).toBeNull();
  }
});

it("Q13 a tool that the policy takes away is not listed and cannot be called", async () => {
  const server = await connect("--deny", "Bash");
  const { tools } = await server.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("Bash");
  const result = await server.callTool({ name: "Bash", arguments: { command: "touch made" } });
  expect(result.isError).toBe(true);
  expect(existsSync(join(place.cwd, "made"))).toBe(false);
  await server.close();
});

describe("a call", () => {
  it("Q13 goes through the pipeline: text, errors that name the cure, the nearest name", async () => {
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect(textOf(await call("Read", { file_path: "a.txt" }))).toContain("hello");
    const missing = await call("Read", { file_path: "a.tx" });
    expect([missing.isError, textOf(missing)]).toEqual([true, expect.stringContaining("a.txt")]);
    expect(textOf(await call("Raed", {}))).toContain("Did you mean Read?");
    expect(textOf(await call("Read", { file_path: 5 }))).toContain("file_path: expected string");
  });

  it("Q13 that would ask is refused without a person, says what would allow it, and does nothing", async () => {
    const result = await client.callTool({ name: "Write", arguments: { file_path: "b.txt", content: "x" } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("haft mcp --allow '");
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(false);
  });

  it("Q13 gives images as images", async () => {
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(place.cwd, "p.png"), Buffer.from(PIXEL, "base64"));
    const result = await client.callTool({ name: "Read", arguments: { file_path: "p.png" } });
    expect(result.content).toContainEqual({ type: "image", data: PIXEL, mimeType: "image/png" });
  });

  it("Q13 tells its progress to a client that wants it", async () => {
    const heard: string[] = [];
    const command = "for i in 1 2 3; do echo step $i; sleep 0.15; done";
    await client.callTool(
      { name: "Bash", arguments: { command } },
      { onprogress: ({ message }) => heard.push(message ?? "") },
    );
    expect(heard.filter((message) => message.startsWith("step")).length).toBeGreaterThanOrEqual(2);
  });

  it("Q13 ends when the client cancels it, its processes too", async () => {
    const stop = new AbortController();
    // Outside of the workspace, whose changes are only seen when the command has ended.
    const started = join(dirname(place.cwd), "started");
    // A number that no other process of this machine sleeps for; its own id may be one of a namespace.
    const seconds = `30.${process.pid}${Date.now()}`;
    const command = `touch ${started}; exec sleep ${seconds}`;
    const call = client.callTool({ name: "Bash", arguments: { command } }, { signal: stop.signal });
    await until(() => existsSync(started) && isRunning(seconds));
    stop.abort();
    await expect(call).rejects.toThrow();
    await until(() => !isRunning(seconds));
  });

  it("Q13 may be repeated: a client is a program, and no model in a loop", async () => {
    const call = { name: "Read", arguments: { file_path: "a.txt" } };
    const results: unknown[] = [];
    for (let count = 0; count < 10; count += 1) results.push(await client.callTool(call));
    expect(results).toEqual(Array(10).fill(results[0]));
    expect(textOf(results[0])).toContain("hello");
  });

  it("Q13 runs beside others that do not conflict", async () => {
    const reads = Array.from({ length: 20 }, () =>
      client.callTool({ name: "Read", arguments: { file_path: "a.txt" } }),
    );
    for (const result of await Promise.all(reads)) expect(textOf(result)).toContain("hello");
  });
});

it("Q13 ends when its input ends, and writes nothing to its output that is not the protocol", async () => {
  const open = { jsonrpc: "2.0", id: 1, method: "initialize" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const child = place.start(["mcp", "--allow", "Bash"]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin.write(`${JSON.stringify({ ...open, params })}\n[]\n`);
  const bash = { name: "Bash", arguments: { command: "echo noise; echo noise >&2" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: bash })}\n`);
  await until(() => out.split("\n").length > 2);
  child.stdin.end();
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
  expect(err).toBe("haft mcp: ignored a message that is not MCP.\n");
  const messages = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(messages.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
    ["2.0", 1],
    ["2.0", 2],
  ]);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Whether a `sleep` with this argument runs; read from /proc, where the names of all processes stand. */
function isRunning(argument: string): boolean {
  return globSync("/proc/[0-9]*/cmdline").some((path) => {
    try {
      return readFileSync(path, "utf8").startsWith(`sleep\0${argument}`);
    } catch {
      return false;
    }
  });
}
