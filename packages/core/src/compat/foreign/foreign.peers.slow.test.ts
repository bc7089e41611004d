import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { tool as langchainTool } from "@langchain/core/tools";
import { createTool } from "@mastra/core/tools";
import { tool as agentsTool } from "@openai/agents";
import { createHaft } from "haft";
import { expect, it } from "vitest";
import { z } from "zod";
import { contentsText } from "../../tool/index.ts";

const city = z.object({ city: z.string() });
const says = (by: string) => async (input: { city: string }) => `${by}: ${input.city}`;
const description = "Tells the weather.";

it("tools of four SDKs are taken as they are, and their own wish to ask is kept", async () => {
  const tools = [
    agentsTool({ name: "agents", description, parameters: city, execute: says("agents") }),
    agentsTool({ name: "careful", description, parameters: city, needsApproval: true, execute: says("careful") }),
    langchainTool(says("langchain"), { name: "langchain", description, schema: city }),
    createTool({ id: "mastra", description, inputSchema: city, execute: says("mastra") }),
    betaTool({
      name: "anthropic",
      description,
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      run: says("anthropic") as never,
    }),
  ];
  const names = ["agents", "langchain", "mastra", "anthropic"];
  const rules = { allow: [...names, "careful"] };
  await using haft = await createHaft({ settings: false, stateDir: false, tools, rules });
  for (const name of names) {
    const { content, error } = await haft.call(name, { city: "Bern" });
    expect([error, contentsText(content)], name).toEqual([undefined, `${name}: Bern`]);
  }
  expect((await haft.call("careful", { city: "Bern" })).error?.message).toContain("asks for approval itself");
});
