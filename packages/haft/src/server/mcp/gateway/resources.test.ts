import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { servedHaft } from "../../../../../../test/support/served-haft.ts";
import { scratch } from "../../../../test/support/haft-process.ts";
import { type Form, httpClient } from "../../../../test/support/http-client.ts";

/** Asks somebody before it gives a resource, gives another one never, and says in a third what it was told. */
const ASKS = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const told = [];
let asked;
const give = (id, uri, text) => send({ id, result: { contents: [{ uri, text }] } });
const named = ["note://asks", "note://never", "note://told"].map((uri) => ({ uri, name: uri }));
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {}, resources: {} }, serverInfo: { name: "asks", version: "1" } },
  "tools/list": { tools: [] },
  "resources/list": { resources: named },
  "resources/templates/list": { resourceTemplates: [] },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  const uri = params?.uri;
  if (id === "q") give(asked, "note://asks", JSON.stringify(result));
  else if (uri === "note://asks") {
    asked = id;
    const form = { type: "object", properties: { pin: { type: "string" } }, required: ["pin"] };
    send({ id: "q", method: "elicitation/create", params: { message: "Your PIN?", requestedSchema: form } });
  } else if (uri === "note://told") give(id, uri, told.join());
  else if (id === undefined || uri === "note://never") told.push(method);
  else send({ id, ...(results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } }) });
});`;

const program = fileURLToPath(new URL("../../../../test/support/resource-server.mjs", import.meta.url));

it("Q13 a gateway names each resource once, reads what two servers name alike at both, and cleans what they say", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const server = (name: string) => ({ command: process.execPath, args: [program, name] });
  const settings = {
    mcpServers: { one: server("one"), two: server("two"), hidden: server("hidden") },
    permissions: { allow: ["ReadMcpResource"], deny: ["call(hidden/*)"] },
  };
  place.write("settings.json", JSON.stringify(settings));
  await using served = await servedHaft(["--gateway", "--settings", join(place.cwd, "settings.json")], { place });
  const client = await httpClient(served);
  const list = async () => (await client.listResources()).resources;
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(4);
  const resources = await list();
  const other = `haft://servers/two/${encodeURIComponent("note://shared")}`;
  expect(resources.map(({ uri }) => uri)).toEqual(["note://shared", "note://of-one", other, "note://of-two"]);
  const said = JSON.stringify(resources);
  expect(said).not.toMatch(/\\u001b|[\u202e\u200b]/);
  expect(said.length).toBeLessThan(2_000);
  const read = async (uri: string) => JSON.stringify((await client.readResource({ uri })).contents[0]);
  expect(await read("note://shared")).toContain("one has note://shared");
  expect(await read(other)).toContain("two has note://shared");
  // A template is there to be filled in.
  expect(await read("page://two/7")).toContain("two has page://two/7");
  for (const uri of [
    other.replace("two", "hidden"),
    other.replace("two", "nobody"),
    "haft://servers/%ff/x",
    "page://x",
  ])
    await expect(read(uri)).rejects.toThrow("not found");
  await client.close();
});

it("Q13 a server's question during the read of a resource goes to the reading client, and a read can be cancelled", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const settings = {
    mcpServers: { asks: { command: process.execPath, args: ["-e", ASKS] } },
    permissions: { allow: ["ReadMcpResource"] },
  };
  place.write("settings.json", JSON.stringify(settings));
  await using served = await servedHaft(["--gateway", "--settings", join(place.cwd, "settings.json")], { place });
  const forms: Form[] = [];
  const client = await httpClient(served, {
    answer(form) {
      forms.push(form);
      return { action: "accept", content: { pin: "1234" } };
    },
  });
  await expect.poll(async () => (await client.listResources()).resources.length, { timeout: 20_000 }).toBe(3);
  const read = async (uri: string, signal?: AbortSignal) =>
    JSON.stringify((await client.readResource({ uri }, signal ? { signal } : {})).contents[0]);
  expect(await read("note://asks")).toContain("1234");
  expect(forms.map(({ message }) => message)).toEqual([expect.stringContaining("Your PIN?")]);
  const enough = new AbortController();
  const never = read("note://never", enough.signal);
  await expect.poll(() => read("note://told")).toContain("resources/read");
  enough.abort();
  await expect(never).rejects.toThrow();
  await expect.poll(() => read("note://told")).toContain("notifications/cancelled");
  expect(served.said()).not.toContain("could not ask");
  await client.close();
});
