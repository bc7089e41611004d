import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { claudeAgentSdk } from "./claude-agent-sdk.ts";

it("D15 the Claude Agent SDK: an MCP server in the process runs Haft's tools", async () => {
  const { haft, cwd, close } = await frameworkHaft();
  const { mcpServers } = claudeAgentSdk(haft);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const instance = mcpServers.haft!.instance as unknown as { connect(transport: unknown): Promise<void> };
  await instance.connect(ours);
  const client = new Client({ name: "claude", version: "1" });
  await client.connect(theirs);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["Read", "Write"]);
  const [read, write] = storyCalls(cwd);
  const call = (one: typeof read) =>
    client.callTool({ name: one!.name, arguments: one!.input as Record<string, unknown> });
  expect(JSON.stringify(await call(read))).toContain("alpha");
  expect(await call(write)).toMatchObject({ isError: true });
  await client.close();
  await close();
});

it("E04 the Claude Agent SDK: canUseTool decides Claude's own tools by Haft's rules", async () => {
  const asked: string[] = [];
  const { haft, cwd, close } = await frameworkHaft({ rules: { deny: ["read(**/.env)"] } });
  const { canUseTool } = claudeAgentSdk(haft, {
    ask: ({ tool, input }) => asked.push(`${tool} ${Object.keys(input)[0]}`) > 0,
  });
  const [read, write] = storyCalls(cwd) as { name: string; input: Record<string, unknown> }[];
  expect(await canUseTool("Read", read!.input)).toEqual({ behavior: "allow", updatedInput: read!.input });
  expect(await canUseTool("Read", { file_path: `${cwd}/.env` })).toMatchObject({ behavior: "deny" });
  expect(await canUseTool("Write", write!.input)).toMatchObject({ behavior: "allow" });
  expect(asked).toEqual(["Write file_path"]);
  expect(await canUseTool("mcp__haft__Write", {})).toMatchObject({ behavior: "allow" });
  expect(await canUseTool("Teleport", {})).toMatchObject({ behavior: "deny" });
  await close();
});
