import { defineTool } from "@haft/core/tool";
import type { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { httpClient } from "../../../test/support/http-client.ts";
import { servedHere } from "../../../test/support/served-here.ts";
import { createTokens } from "../http/tokens.ts";

const tokens = { ann: "a".repeat(20), ben: "b".repeat(20) };

const long = defineTool({
  name: "Long",
  description: "Says much.",
  input: { type: "object", properties: {} },
  effects: () => [],
  run: () => "word ".repeat(60_000),
});

async function uriOfLong(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "Long", arguments: {} });
  return (content as { type: string; uri: string }[]).find(({ type }) => type === "resource_link")?.uri ?? "";
}

it.each([
  ["legacy", "modern"],
  ["modern", "legacy"],
  ["legacy", "legacy"],
] as const)(
  "Q13 a long result made in a %s session is read in a %s one with the same token, and with no other",
  async (one, other) => {
    await using served = await servedHere({
      tools: [long],
      tokens: createTokens(new Map(Object.entries(tokens))),
    });
    const clients = [
      await httpClient(served, { era: one, token: tokens.ann }),
      await httpClient(served, { era: other, token: tokens.ann }),
      await httpClient(served, { era: other, token: tokens.ben }),
    ] as const;
    const uri = await uriOfLong(clients[0]);
    const [page] = (await clients[1].readResource({ uri })).contents;
    expect(page).toMatchObject({ text: expect.stringMatching(/^word /) });
    expect((await clients[1].listResources()).resources.map((one) => one.uri)).toEqual([uri]);
    await expect(clients[2].readResource({ uri })).rejects.toThrow("not found");
    expect((await clients[2].listResources()).resources).toEqual([]);
    await Promise.all(clients.map((client) => client.close()));
  },
);

it("Q13 without tokens a session is its own client", async () => {
  await using served = await servedHere({ tools: [long] });
  const [one, other] = [await httpClient(served), await httpClient(served)];
  const uri = await uriOfLong(one);
  expect((await one.listResources()).resources.map((found) => found.uri)).toEqual([uri]);
  await expect(other.readResource({ uri })).rejects.toThrow("not found");
  await Promise.all([one.close(), other.close()]);
});
