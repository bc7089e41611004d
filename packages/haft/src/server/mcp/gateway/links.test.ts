import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, initialize, post } from "../../../../test/support/http-client.ts";

const program = fileURLToPath(new URL("../../../../test/support/resource-server.mjs", import.meta.url));
const tokens = { ann: "a".repeat(20), ben: "b".repeat(20), cat: "c".repeat(20), dan: "d".repeat(20) };

let place: Scratch;
let served: ServedHaft;
beforeAll(async () => {
  place = scratch();
  const server = (name: string) => ({ command: process.execPath, args: [program, name] });
  const settings = {
    mcpServers: { one: server("one"), two: server("two") },
    permissions: { allow: ["mcp__one", "mcp__two", "ReadMcpResource"] },
    server: {
      clients: {
        ben: { rules: { deny: ["ReadMcpResource"] } },
        cat: { deny: ["mcp__one"] },
        dan: { rules: { deny: ["mcp__one__*"] } },
      },
    },
  };
  place.write("settings.json", JSON.stringify(settings));
  place.write(
    "tokens",
    Object.entries(tokens)
      .map((entry) => entry.join(" "))
      .join("\n"),
  );
  const [settingsFile, tokenFile] = [join(place.cwd, "settings.json"), join(place.cwd, "tokens")];
  served = await servedHaft(["--gateway", "--settings", settingsFile, "--token-file", tokenFile], { place });
}, 60_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Block = { readonly type: string; readonly uri: string } & Readonly<Record<string, unknown>>;

async function connected(name: keyof typeof tokens, era: "legacy" | "modern"): Promise<Client> {
  const client = await httpClient(served, { token: tokens[name], era });
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  await expect.poll(names, { timeout: 20_000 }).toEqual(expect.arrayContaining(["mcp__one__point", "mcp__two__point"]));
  return client;
}
const pointed = async (client: Client, server: string) =>
  (await client.callTool({ name: `mcp__${server}__point`, arguments: {} })).content as unknown as Block[];
const read = async (client: Client, uri: string) => JSON.stringify((await client.readResource({ uri })).contents[0]);

it.each(["legacy", "modern"] as const)(
  "Q13 a link of a server's tool goes on as a link that can be read, each at its own server (%s)",
  { timeout: 60_000 },
  async (era) => {
    const ann = await connected("ann", era);
    const [shared, unlisted, forged, hidden] = await pointed(ann, "one");
    expect(shared).toMatchObject({ type: "resource_link", uri: "note://shared", name: "shared[31m by one" });
    expect(String(shared?.description).length).toBeLessThan(600);
    expect(unlisted).toEqual({
      ...{ type: "resource_link", uri: "note://unlisted", name: "unlisted[31m" },
      ...{ title: "By one", mimeType: "text/plain", size: 20 },
    });
    // Links that look like Haft's own address, or hide a part of themselves, are not followed.
    expect([forged?.type, hidden?.type]).toEqual(["resource", "resource"]);
    expect(await read(ann, "note://unlisted")).toContain("one has note://unlisted");
    const other = (await pointed(ann, "two"))[1];
    expect(other).toMatchObject({ type: "resource_link", title: "By two" });
    expect(other?.uri).toBe(`haft://servers/two/${encodeURIComponent("note://unlisted")}`);
    expect(await read(ann, other?.uri ?? "")).toContain("two has note://unlisted");
    expect(await read(ann, "note://unlisted")).toContain("one has note://unlisted");
    await ann.close();
  },
);

it("Q13 a link leads only the client that was given it, and only where its rules let it read", async () => {
  const [ann, ben] = [await connected("ann", "legacy"), await connected("ben", "modern")];
  await expect(read(ann, "note://unlisted")).rejects.toThrow("not found");
  expect((await pointed(ben, "one"))[1]).toMatchObject({ type: "resource_link", uri: "note://unlisted" });
  await expect(read(ben, "note://unlisted")).rejects.toThrow("not found");
  await Promise.all([ann.close(), ben.close()]);
});

it.each(["cat", "dan"] as const)(
  "Q13 a client from which a server is taken reads nothing of it, by no address and no tool (%s)",
  { timeout: 60_000 },
  async (name) => {
    const ann = await connected("ann", "legacy");
    const client = await httpClient(served, { token: tokens[name] });
    const listed = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(listed).toEqual(["note://shared", "note://of-two"]);
    expect(await read(client, "note://shared")).toContain("two has");
    for (const uri of ["note://of-one", "haft://servers/one/note%3A%2F%2Fshared", "page://one/7"])
      await expect(read(client, uri)).rejects.toThrow("not found");
    const input = { server: "one", uri: "note://shared" };
    const direct = await client.callTool({ name: "ReadMcpResource", arguments: input });
    expect([direct.isError, JSON.stringify(direct.content)]).toEqual([true, expect.not.stringContaining("one has")]);
    await Promise.all([ann.close(), client.close()]);
  },
);

it("Q13 no template leads to a server with an address of Haft's own", async () => {
  const ann = await connected("ann", "legacy");
  expect(await read(ann, "hello")).toContain("has hello");
  for (const uri of [`haft://results/${"0".repeat(32)}`, "HAFT://servers/one/x", "haft:document/x"])
    await expect(read(ann, uri)).rejects.toThrow("not found");
  await ann.close();
});

it("Q13 a client of a protocol that knows no links reads in words where things are", async () => {
  const old = initialize() as { params: object };
  const body = { ...old, params: { ...old.params, protocolVersion: "2025-03-26" } };
  const headers = { Authorization: `Bearer ${tokens.ann}` };
  const opened = await post(served, body, headers);
  await opened.body?.cancel();
  const within = { ...headers, "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "mcp__one__point", arguments: {} } };
  const said = await (await post(served, call, within)).text();
  expect(said).not.toContain("resource_link");
  expect(said).toContain("not read yet: note://unlisted");
});
