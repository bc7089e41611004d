// The tool lists of real servers are their authors' and not part of this repository. HAFT_TOOL_LISTS names a folder with them.
import { definitionTokens } from "@haft/core/registry/deferral";
import { expect, it } from "vitest";
import { mcpWorkspace } from "../../../test/support/mcp-workspace.ts";
import { recordedServers } from "../../../test/support/recorded-servers.ts";

const folder = process.env.HAFT_TOOL_LISTS;

it.skipIf(folder === undefined)(
  "D09 the first request carries at most 4 % of what the definitions of recorded servers take (set HAFT_TOOL_LISTS)",
  async () => {
    await using recorded = await recordedServers(folder!);
    using place = mcpWorkspace();
    await using haft = await place.open({ settings: { mcpServers: recorded.mcpServers } });
    await haft.mcp.settled();
    expect(haft.mcp.list().map(({ state }) => state)).toEqual(Object.keys(recorded.mcpServers).map(() => "ready"));
    const isRemote = ({ name }: { readonly name: string }) => name.startsWith("mcp__");
    const { tools: offered, deferred } = await haft.offer({ deferred: true });
    const remote = (await haft.offer()).tools.filter(isRemote);
    expect([remote.length, deferred.filter((name) => isRemote({ name })).length]).toEqual([
      recorded.tools,
      recorded.tools,
    ]);
    expect(offered.filter(isRemote)).toEqual([]);
    const tokens = remote.reduce((sum, { entry, description }) => sum + definitionTokens(entry.tool, description), 0);
    const search = offered.find(({ name }) => name === "ToolSearch")!;
    const share = definitionTokens(search.entry.tool, search.description) / tokens;
    process.stdout.write(`ToolSearch: ${(share * 100).toFixed(1)} % of ${tokens} tokens of ${remote.length} tools\n`);
    expect(share).toBeLessThan(0.04);
  },
);
