import { expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { serverEntry } from "../../test/support/mcp-workspace.ts";
import { printHost } from "../../test/support/print-host.ts";
import { says } from "../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";

const places = sessionPlaces("host-servers");
const patiently = { timeout: patience(10_000) };
type Reply = Parameters<typeof printHost>[3];

it("Q01 the host brings, replaces and switches servers, also with its first request", {
  ...patiently,
  tags: ["smoke"],
}, async () => {
  const reply: Reply = ({ subtype }) =>
    subtype === "mcp_message" ? { mcp_response: { jsonrpc: "2.0", id: 1, result: { tools: [] } } } : undefined;
  const host = printHost(places, [says("Done."), says("Done.")], ["--await-initialize"], reply);
  const first = { sdkMcpServers: ["mine"], mcpServers: { friend: serverEntry("friendly") } };
  const { response } = await host.ask({ subtype: "initialize", ...first });
  expect(response).toMatchObject({ mcp_servers_applied: true });
  expect((response as { agents: { name: string }[] }).agents.map(({ name }) => name)).toContain("general");
  const states = async () => {
    const { mcpServers } = (await host.ask({ subtype: "mcp_status" })).response as {
      mcpServers: { name: string; status: string }[];
    };
    return Object.fromEntries(mcpServers.map(({ name, status }) => [name, status]));
  };
  await expect.poll(states, patiently).toEqual({ mine: "connected", friend: "connected" });
  await host.ask({ subtype: "mcp_toggle", serverName: "friend", enabled: false });
  expect(await states()).toEqual({ mine: "connected", friend: "disabled" });
  await host.ask({ subtype: "mcp_toggle", serverName: "friend", enabled: true });
  expect(await states()).toEqual({ mine: "connected", friend: "connected" });
  const servers = { other: serverEntry("friendly"), gone: { command: "/no/such/program" }, mine: { type: "sdk" } };
  expect((await host.ask({ subtype: "mcp_set_servers", servers })).response).toMatchObject({
    ...{ added: ["other", "gone"], removed: ["friend"], errors: { gone: expect.any(String) } },
  });
  expect(await states()).toEqual({ mine: "connected", other: "connected", gone: "failed" });
  await host.prompt("Go.");
  const init = host.of("system").find(({ subtype }) => subtype === "init") as unknown as {
    mcp_servers: { name: string }[];
  };
  expect(init.mcp_servers.map(({ name }) => name)).toEqual(["mine", "other", "gone"]);
  await host.end();
});
