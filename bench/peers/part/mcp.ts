/** MCP servers with 10 to 1,000 tools: from start to the list, and calls of 64 callers at once. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Effort, interleave, type Part, type Row, timed } from "../measure.ts";
import { scratch } from "../places.ts";

const SIZES = [10, 100, 300, 1_000];
const CALLERS = 64;
const CALLS = 640;
const bench = join(import.meta.dirname, "../..");
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  haft: [join(bench, "../packages/haft/bin/haft.mjs"), "mcp", "--module", join(bench, "mcp/tools.mjs")],
  "SDK 2, low-level": [join(bench, "mcp/sdk-server.mjs")],
  "SDK 1, McpServer": [join(bench, "peers/contender/mcp-v1.mjs")],
};

export const mcp: Part = {
  charts: [
    {
      ...{ id: "mcp-ready", title: "An MCP server on stdio, from its start to its list of tools", axis: "tools" },
      ...{ floor: "SDK 2, low-level", remark: "Haft lists its own tools too." },
    },
    {
      ...{ id: "mcp-calls", title: `MCP calls on stdio, ${CALLERS} callers at once`, axis: "tools" },
      ...{ floor: "SDK 2, low-level", isHigherBetter: true },
      remark: "Haft's calls go through policy, effects and record; the SDK's servers return the text.",
    },
  ],
  async run({ rounds, isQuick }: Effort) {
    const rows: Row[] = [];
    for (const tools of isQuick ? SIZES.slice(0, 2) : SIZES) {
      using place = scratch();
      const env = {
        ...{ PATH: process.env.PATH ?? "", HOME: place.home, HAFT_STATE_DIR: join(place.home, "state") },
        BENCH_TOOLS: String(tools),
      };
      const open = async (args: readonly string[]): Promise<Client> => {
        const client = new Client({ name: "bench", version: "1" });
        await client.connect(
          new StdioClientTransport({
            ...{ command: process.execPath, args: [...args], env, cwd: place.cwd, stderr: "ignore" },
          }),
        );
        const offered = await client.listTools();
        if (offered.tools.length < tools) throw new Error(`${offered.tools.length} tools instead of ${tools}`);
        return client;
      };
      const ready = Object.entries(SERVERS).map(([name, args]) => [
        name,
        async () => {
          let client: Client | undefined;
          const ms = await timed(async () => {
            client = await open(args);
          });
          await client?.close();
          return ms;
        },
      ]);
      const few = isQuick ? 2 : Math.min(6, rounds);
      rows.push(
        ...(await interleave({ chart: "mcp-ready", at: tools, unit: "ms", rounds: few }, Object.fromEntries(ready))),
      );
      const clients = new Map<string, Client>();
      for (const [name, args] of Object.entries(SERVERS)) clients.set(name, await open(args));
      const calls = [...clients].map(([name, client]) => [
        name,
        async () => (CALLS / (await timed(() => storm(client)))) * 1_000,
      ]);
      const at = { at: tools, unit: "calls/s", rounds: isQuick ? 3 : rounds, warm: 6 };
      rows.push(...(await interleave({ chart: "mcp-calls", ...at }, Object.fromEntries(calls))));
      await Promise.all([...clients.values()].map((client) => client.close()));
    }
    return rows;
  },
};

async function storm(client: Client): Promise<void> {
  let left = CALLS;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const text = `text ${left}`;
      const { content } = await client.callTool({ name: `echo_${left % 10}`, arguments: { text } });
      if ((content[0] as { text?: string }).text !== text) throw new Error("a wrong answer");
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}
