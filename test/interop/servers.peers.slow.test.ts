// Other people's MCP servers, as they are installed: each is listed and really called, through the whole pipeline.
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsText } from "@haft/core/tool";
import { createHaft, type Haft } from "haft";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HAFT } from "../../packages/haft/test/support/haft-process.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-interop-")));
const installed = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
const official = (name: string): string => installed(`@modelcontextprotocol/server-${name}/dist/index.js`);

interface Peer {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How many tools of it can be offered here. */
  readonly tools: number;
  readonly call: readonly [tool: string, input: unknown, answer: RegExp];
}

const peers: Readonly<Record<string, Peer>> = {
  everything: {
    args: [official("everything")],
    tools: 14,
    call: ["get-sum", { a: 19, b: 23 }, /42/],
  },
  filesystem: {
    args: [official("filesystem"), cwd],
    tools: 14,
    call: ["read_text_file", { path: join(cwd, "note.txt") }, /written by the test/],
  },
  memory: {
    args: [official("memory")],
    env: { MEMORY_FILE_PATH: join(cwd, "memory.jsonl") },
    tools: 9,
    call: [
      "create_entities",
      { entities: [{ name: "Haft", entityType: "tool", observations: ["holds"] }] },
      /"name":\s*"Haft"/,
    ],
  },
  thinking: {
    args: [official("sequential-thinking")],
    tools: 1,
    call: [
      "sequentialthinking",
      { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      /"thoughtHistoryLength":\s*1/,
    ],
  },
  hello: {
    args: [installed("mcp-hello-world/build/stdio.js")],
    tools: 3,
    call: ["echo", { message: "across" }, /across/],
  },
  eslint: {
    args: [installed("@eslint/mcp/src/mcp-cli.js")],
    tools: 1,
    call: ["lint-files", { filePaths: [join(cwd, "code.js")] }, /no-unused-vars/],
  },
  "sdk-v1": {
    args: [installed("@modelcontextprotocol/sdk/dist/esm/examples/server/mcpServerOutputSchema.js")],
    tools: 1,
    call: ["get_weather", { city: "Bern", country: "CH" }, /"celsius":/],
  },
  haft: {
    args: [...HAFT, "mcp", "--cwd", cwd],
    env: { HAFT_STATE_DIR: join(cwd, "state") },
    tools: 10,
    call: ["Read", { file_path: join(cwd, "note.txt") }, /written by the test/],
  },
};

let haft: Haft;
beforeAll(async () => {
  writeFileSync(join(cwd, "note.txt"), "written by the test\n");
  writeFileSync(join(cwd, "code.js"), "const unused = 1;\n");
  writeFileSync(join(cwd, "eslint.config.mjs"), 'export default [{ rules: { "no-unused-vars": "error" } }];\n');
  haft = await createHaft({
    cwd,
    settings: false,
    stateDir: false,
    rules: { allow: Object.keys(peers).map((name) => `mcp__${name}`) },
  });
  for (const [name, { args, env }] of Object.entries(peers))
    haft.mcp.add({ name, command: process.execPath, args, ...(env ? { env } : {}) });
  await haft.mcp.settled(60_000);
}, 90_000);
afterAll(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

describe("other people's servers", () => {
  it.each(Object.entries(peers))("Q01 Q02 %s is listed and called", { timeout: 30_000 }, async (name, peer) => {
    const status = haft.mcp.list().find(({ server }) => server.name === name);
    expect(status?.error?.message).toBeUndefined();
    expect(status?.state).toBe("ready");
    expect(status?.problems).toEqual([]);
    expect(status?.tools.length).toBeGreaterThanOrEqual(peer.tools);
    const [tool, input, answer] = peer.call;
    const { error, content } = await haft.call(`mcp__${name}__${tool}`, input);
    expect(error?.message).toBeUndefined();
    expect(contentsText(content)).toMatch(answer);
  });

  it("Q11 a tool that runs only as a task is run as one", { timeout: 60_000 }, async () => {
    const { error, content } = await haft.call("mcp__everything__simulate-research-query", { topic: "handles" });
    expect(error?.message).toBeUndefined();
    expect(contentsText(content)).toContain("handles");
  });

  it("Q02 a server's changes are really done", () => {
    expect(readFileSync(join(cwd, "memory.jsonl"), "utf8")).toContain("Haft");
  });
});
