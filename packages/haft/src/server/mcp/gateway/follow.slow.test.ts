import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, textOf } from "../../../../test/support/http-client.ts";

// Changed resources of the servers behind a gateway, and the clients in front of it that want to hear of them.

const program = fileURLToPath(new URL("../../../../test/support/watched-server.mjs", import.meta.url));
const server = (name: string, ...era: string[]) => ({
  ...{ command: process.execPath, args: [program, name, ...era], trusted: true },
});
const OTHER = `haft://servers/two/${encodeURIComponent("note://shared")}`;

let place: Scratch;
let served: ServedHaft;

beforeAll(async () => {
  place = scratch();
  const settings = {
    mcpServers: { one: server("one"), two: server("two", "modern"), hidden: server("hidden") },
    permissions: { allow: ["ReadMcpResource", "mcp__one", "mcp__two"], deny: ["call(hidden/*)"] },
  };
  place.write("settings.json", JSON.stringify(settings));
  served = await servedHaft(["--gateway", "--settings", join(place.cwd, "settings.json")], { place });
}, 60_000);
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

/** Messages to a gateway that a client starts by itself. */
const overStdio = async (era: "legacy" | "modern") => {
  const client = new Client(
    { name: "test", version: "1" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  const args = [...HAFT, "mcp", "--gateway", "--settings", join(place.cwd, "settings.json")];
  const { cwd, env } = place;
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "ignore" }));
  return client;
};

/** A client that writes down what it hears, and how it asks and stops asking. */
async function listener(era: "legacy" | "modern", over: "http" | "stdio") {
  const client = over === "http" ? await httpClient(served, { era }) : await overStdio(era);
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("list"));
  const list = async () => (await client.listResources()).resources.length;
  await expect.poll(list, { timeout: 20_000 }).toBe(4);
  let count = 0;
  const call = async (name: string, uri = "") =>
    textOf(await client.callTool({ name: `mcp__${name}`, arguments: { uri, count: ++count } }));
  async function ask(...uris: string[]): Promise<() => Promise<unknown>> {
    if (era === "modern") {
      const subscription = await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
      return () => subscription.close();
    }
    for (const uri of uris) await client.subscribeResource({ uri });
    return () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri })));
  }
  return { client, heard, call, ask };
}

describe.each(["http", "stdio"] as const)("a gateway over %s", (over) => {
  it.each(["legacy", "modern"] as const)(
    "Q13 tells a client of the %s protocol of changed resources of servers of either, as long as it wants to hear",
    { timeout: 40_000 },
    async (era) => {
      const { client, heard, call, ask } = await listener(era, over);
      const stop = await ask("note://of-one", OTHER);
      await expect.poll(() => call("one__subscribed")).toBe("note://of-one");
      await call("one__touch", "note://of-one");
      await expect.poll(() => heard).toEqual(["note://of-one"]);
      // A resource without a subscription, and a name that two servers share.
      await call("one__touch", "note://shared");
      await expect
        .poll(async () => {
          await call("two__touch", "note://shared");
          return heard;
        })
        .toContain(OTHER);
      expect(heard.filter((uri) => uri !== OTHER)).toEqual(["note://of-one"]);
      await call("one__grow");
      await expect.poll(() => heard).toContain("list");
      await stop();
      await expect.poll(() => call("one__subscribed")).toBe("");
      const before = heard.length;
      await call("one__touch", "note://of-one");
      expect(heard).toHaveLength(before);
      await client.close();
    },
  );
});

it("Q13 a client that goes away is subscribed to nothing any more, another one still is", {
  tags: ["smoke"],
}, async () => {
  const [gone, stays] = [await listener("legacy", "http"), await listener("legacy", "http")];
  await gone.ask("note://of-one");
  await stays.ask("note://of-one");
  await (gone.client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
  await gone.client.close();
  await stays.call("one__touch", "note://of-one");
  await expect.poll(() => stays.heard).toEqual(["note://of-one"]);
  await (stays.client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
  await stays.client.close();
  const last = await listener("legacy", "http");
  await expect.poll(() => last.call("one__subscribed")).toBe("");
  await last.client.close();
});

it("Q13 nobody may follow what they may not read, and a server that tells nothing is not waited for", async () => {
  const { client } = await listener("legacy", "http");
  for (const uri of ["note://of-hidden", "note://nowhere", "haft://servers/hidden/note%3A%2F%2Fof-hidden"])
    await expect(client.subscribeResource({ uri })).rejects.toThrow(/does not support subscriptions/);
  await client.close();
});

it("Q13 without sessions no older client is promised news", { timeout: 40_000 }, async () => {
  const args = ["--gateway", "--stateless", "--settings", join(place.cwd, "settings.json")];
  await using plain = await servedHaft(args, { place });
  const client = await httpClient(plain);
  expect(client.getServerCapabilities()?.resources).toEqual({});
  await client.close();
});

it("Q10 Q13 a server that ends and comes back is asked again, and a possible change meanwhile is told", {
  timeout: 40_000,
}, async () => {
  const { client, heard, call, ask } = await listener("legacy", "http");
  await ask("note://of-one", OTHER);
  await call("one__crash");
  await expect.poll(() => heard, { timeout: 15_000 }).toContain("note://of-one");
  await expect.poll(() => call("one__subscribed")).toBe("note://of-one");
  await call("two__crash");
  await expect.poll(() => heard, { timeout: 15_000 }).toContain(OTHER);
  const before = heard.length;
  await call("two__touch", "note://shared");
  await expect.poll(() => heard.slice(before)).toContain(OTHER);
  await client.close();
});
