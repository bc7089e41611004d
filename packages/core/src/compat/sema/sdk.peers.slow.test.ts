import Anthropic from "@anthropic-ai/sdk";
import { expect, expectTypeOf, it } from "vitest";
import { messageOf, say } from "../../../../../test/support/anthropic-wire.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { Get, Put } from "../../../test/support/tools.ts";
import { buildTools, type SdkTool } from "./index.ts";

it("D01 the real SDK takes what buildTools gives", async () => {
  expectTypeOf<SdkTool>().toExtend<Anthropic.Messages.ToolUnion>();
  await using server = await wireServer([{ json: messageOf([say("Done.")]) }]);
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const tools = buildTools(
    [Get, Put].map(({ name, input }) => ({ name, description: () => `Describes ${name}.`, inputSchema: input })),
  );
  await client.messages.create({
    ...{ model: "claude-test", max_tokens: 10, tools },
    messages: [{ role: "user", content: "Go." }],
  });
  expect(JSON.parse(server.bodies[0]!).tools).toEqual(tools);
  expect(tools.map(({ input_schema }) => input_schema.type)).toEqual(["object", "object"]);
});
