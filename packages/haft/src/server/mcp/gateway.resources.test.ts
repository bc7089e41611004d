import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { servedHaft } from "../../../../../test/support/served-haft.ts";
import { scratch } from "../../../test/support/haft-process.ts";
import { httpClient } from "../../../test/support/http-client.ts";

const program = fileURLToPath(new URL("../../../test/support/resource-server.mjs", import.meta.url));

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
