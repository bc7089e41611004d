import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { fixture } from "../../../../../mcp/test/support/mcp.ts";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient } from "../../../../test/support/http-client.ts";

let place: Scratch;
let served: ServedHaft;
let options: readonly string[];

beforeAll(async () => {
  place = scratch();
  const hurried = { command: process.execPath, args: [fixture("rough"), "hurried"] };
  const settings = { mcpServers: { hurried }, permissions: { allow: ["mcp__hurried"] } };
  options = ["--gateway", "--settings", place.write("settings.json", JSON.stringify(settings))];
  served = await servedHaft(options, { place });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const call = { name: "mcp__hurried__hurry", arguments: { steps: 3 } };

it.each(["legacy", "modern"] as const)(
  "Q13 the last progress of a server comes before its answer, over HTTP in the %s era",
  async (era) => {
    const client = await httpClient(served, { era });
    await client.listTools();
    for (let run = 0; run < 20; run += 1) {
      const heard: number[] = [];
      await client.callTool(call, { onprogress: ({ progress }) => heard.push(progress) });
      expect(heard.at(-1)).toBe(3);
    }
    await client.close();
  },
);

// The SDK's client drops progress that it reads in one piece with the answer: how it reads is chance, what it gets is not.
it("Q13 the last progress of a server comes before its answer, over stdio", async () => {
  const args = [...HAFT, "mcp", ...options];
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args, cwd: place.cwd, env: place.env, stderr: "pipe" },
  });
  const heard: Message[] = [];
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  await client.listTools();
  transport.onmessage = (message: Message) => {
    if (message.id !== undefined || message.method === "notifications/progress") heard.push(message);
  };
  for (let id = 100; id < 120; id += 1) {
    const params = { ...call, _meta: { progressToken: id } };
    await transport.send({ jsonrpc: "2.0", id, method: "tools/call", params });
    await expect.poll(() => heard.at(-1)?.id, { timeout: 15_000 }).toBe(id);
    expect(heard.at(-1)).toMatchObject({ result: { content: [{ type: "text", text: "done" }] } });
    expect(heard.at(-2)?.params).toMatchObject({ progressToken: id, progress: 3 });
  }
  await client.close();
});

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: object;
}
