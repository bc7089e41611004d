import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { servedHaft } from "../../../../../../test/support/served-haft.ts";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, textOf } from "../../../../test/support/http-client.ts";

// Clients of a gateway that want to hear of very much, or change their mind at once.

const program = fileURLToPath(new URL("../../../../test/support/watched-server.mjs", import.meta.url));
const pages = (count: number): string[] => Array.from({ length: count }, (_, page) => `page://one/${page}`);

let place: Scratch;
let settings: readonly string[];

beforeAll(() => {
  place = scratch();
  const one = { command: process.execPath, args: [program, "one"], trusted: true };
  place.write("settings.json", JSON.stringify({ mcpServers: { one }, permissions: { allow: ["mcp__one"] } }));
  settings = ["--gateway", "--settings", join(place.cwd, "settings.json")];
});
afterAll(() => place[Symbol.dispose]());

async function overStdio(): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const { cwd, env } = place;
  const args = [...HAFT, "mcp", ...settings];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "ignore" }));
  return client;
}

/** The answer of a tool of the watched server, once the tool is there. */
const asking = (client: Client) => {
  let count = 0;
  return async (tool: string, uri = ""): Promise<string> =>
    textOf(await client.callTool({ name: `mcp__one__${tool}`, arguments: { uri, count: ++count } }));
};

const isThere = (client: Client) =>
  expect.poll(async () => (await client.listResources()).resources.length, { timeout: 20_000 }).toBe(2);

it("Q13 a thousand addresses in one request cost their servers one look at the lists, and changes of all are told", {
  timeout: 40_000,
}, async () => {
  await using served = await servedHaft(settings, { place });
  const client = await httpClient(served, { era: "modern" });
  await isThere(client);
  const ask = asking(client);
  const before = Number(await ask("lists"));
  const heard = new Set<string>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.add(params.uri));
  const wanted = pages(1_000);
  const { honoredFilter } = await client.listen({ resourceSubscriptions: wanted });
  expect(honoredFilter.resourceSubscriptions).toHaveLength(1_000);
  expect(Number(await ask("lists")) - before).toBe(2);
  await expect.poll(async () => (await ask("subscribed")).split(" ").length).toBe(1_000);
  await ask("touch", "page://one/999/part");
  await expect.poll(() => [...heard]).toEqual(["page://one/999"]);
  await client.close();
});

it("Q13 beyond a thousand no client follows more, however many it asks for at once", { timeout: 40_000 }, async () => {
  const client = await overStdio();
  await isThere(client);
  const asked = await Promise.allSettled(pages(1_100).map((uri) => client.subscribeResource({ uri })));
  expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1_000);
  expect((await asking(client)("subscribed")).split(" ")).toHaveLength(1_000);
  await client.close();
});

it("Q13 a subscription that is taken back before it is done leaves nothing behind", {
  tags: ["smoke"],
  timeout: 40_000,
}, async () => {
  const client = await overStdio();
  await isThere(client);
  const uri = "page://one/1";
  const both = [client.subscribeResource({ uri }), client.unsubscribeResource({ uri })];
  await Promise.allSettled(both);
  const ask = asking(client);
  expect(await ask("subscribed")).toBe("");
  // And again, so that the last word counts.
  await Promise.all([...both, client.subscribeResource({ uri })]);
  expect(await ask("subscribed")).toBe(uri);
  await client.unsubscribeResource({ uri });
  await expect.poll(() => ask("subscribed")).toBe("");
  await client.close();
});
