import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, textOf } from "../../../../test/support/http-client.ts";

const program = fileURLToPath(new URL("../../../../test/support/output-server.mjs", import.meta.url));

let place: Scratch;
let served: ServedHaft;
beforeAll(async () => {
  place = scratch();
  const mcpServers = { out: { command: process.execPath, args: [program] } };
  place.write("settings.json", JSON.stringify({ mcpServers, permissions: { allow: ["mcp__out"] } }));
  served = await servedHaft(["--gateway", "--settings", join(place.cwd, "settings.json")], { place });
}, 60_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

/** The SDK's own clients, which throw an answer away that does not fit the schema that they have listed. */
const strict = {
  async v1() {
    const client = new ClientV1({ name: "v1", version: "1" });
    const headers = { Authorization: `Bearer ${served.token}` };
    await client.connect(new HttpV1(new URL(served.url), { requestInit: { headers } }));
    return client;
  },
  legacy: () => httpClient(served, { era: "legacy" }),
  modern: () => httpClient(served, { era: "modern" }),
};

it.each(Object.keys(strict) as (keyof typeof strict)[])(
  "Q13 a server's broken promise about its data, or a cut result, costs a strict client no answer (%s)",
  { timeout: 60_000 },
  async (kind) => {
    const client = await strict[kind]();
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    await expect.poll(names, { timeout: 20_000 }).toEqual(expect.arrayContaining(["mcp__out__odd", "Read"]));
    // Older clients refuse a whole list in which a property has no more than a yes or no for its schema.
    const odd = (await client.listTools()).tools.find(({ name }) => name === "mcp__out__odd");
    expect(odd?.inputSchema.properties).toEqual({ anything: {}, nothing: { not: {} }, $any: { items: true } });
    const call = async (tool: string) => {
      const result = await client.callTool({ name: `mcp__out__${tool}`, arguments: {} });
      return { text: textOf(result), data: result.structuredContent, isError: result.isError === true };
    };
    expect(await call("keeps")).toMatchObject({ text: expect.stringContaining("mild"), data: { degrees: 12 } });
    expect(await call("breaks")).toMatchObject({ text: expect.stringContaining("cold"), isError: false });
    expect(await call("forgets")).toEqual({ text: "It is hot.", data: undefined, isError: false });
    const long = await call("long");
    expect(long).toMatchObject({ text: expect.stringContaining("The whole result is in"), data: undefined });
    expect(long.text.length).toBeLessThan(110_000);
    expect(await call("fails")).toMatchObject({ data: undefined, isError: true });
    expect(await call("odd")).toMatchObject({ text: expect.stringContaining("odd"), isError: false });
    await client.close();
  },
);
