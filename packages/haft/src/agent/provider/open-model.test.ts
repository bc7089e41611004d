import type { OpenBatch } from "@haft/core/executor";
import type { Offer } from "@haft/core/registry";
import { RetryError } from "ai";
import { expect, it } from "vitest";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { runAgent } from "../loop.ts";
import { userMessage } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import { explained } from "./model-error.ts";
import { openModel } from "./open-model.ts";

it.each([
  ["claude", {}, "is not a model name", "Write provider/name"],
  ["anthropic/", {}, "is not a model name", "Write provider/name"],
  ["constructor/x", {}, 'no provider "constructor"', "anthropic, openai, google, compatible"],
  ["anthropic/claude-test", {}, "ANTHROPIC_API_KEY is not set", "Set ANTHROPIC_API_KEY"],
  ["google/gemini", { GEMINI: "x" }, "GOOGLE_GENERATIVE_AI_API_KEY is not set", "replay a cassette"],
  ["compatible/llama", {}, "needs the address of its server", "OPENAI_BASE_URL"],
])("a model that cannot be opened says what is missing: %s", async (name, env, message, hint) => {
  await expect(openModel(name, env)).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

it("a name may hold slashes of its own", async () => {
  const model = await openModel("compatible/org/model:7b", { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" });
  expect(model.name).toBe("compatible/org/model:7b");
});

it("E24 an address that is none names its variable", async () => {
  const env = { OPENAI_BASE_URL: "notaurl" };
  await expect(openModel("compatible/x", env)).rejects.toMatchObject({
    message: "OPENAI_BASE_URL is not an address: notaurl",
  });
  await expect(openModel("openai/x", { ...env, OPENAI_API_KEY: "k" })).rejects.toMatchObject({
    hint: expect.stringContaining("http://HOST:PORT/v1"),
  });
});

/** The address of a server that has just ended: connections to it are refused. */
async function refusingUrl(): Promise<string> {
  await using server = await wireServer([]);
  return server.url;
}

it.each([
  ["at a blocked port", async () => "http://127.0.0.1:9"],
  ["that refuses the connection", refusingUrl],
])("E24 a server %s ends the run at once, with its address and a cure", async (_, address) => {
  const url = `${await address()}/v1`;
  const model = await openModel("compatible/x", { OPENAI_BASE_URL: url });
  const events: string[] = [];
  const end = await runAgent({
    model,
    offer: () => ({ tools: [], deferred: [], prompt: [] }) as unknown as Offer,
    executor: { open: () => ({ end: async () => [], discard: async () => [] }) as unknown as OpenBatch },
    messages: [userMessage("hi")],
    onEvent: ({ type }) => events.push(type),
  });
  expect(end).toMatchObject({
    reason: "error",
    turns: 1,
    error: {
      code: "fetch_failed",
      message: expect.stringContaining(`${url}/chat/completions`),
      hint: expect.stringContaining("OPENAI_BASE_URL"),
    },
  });
  expect(events).not.toContain("retry");
});

it("E24 a server that fails at every attempt is named with its last words and a cure, without names of classes", () => {
  const place = { key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL" };
  const last = Object.assign(new Error("overloaded"), { name: "AI_APICallError", statusCode: 529 });
  const error = new RetryError({ message: "Failed.", reason: "maxRetriesExceeded", errors: [last] });
  expect(explained(error, "compatible/x", place, [])).toMatchObject({
    message: "The model's server answers with status 529, also after several attempts: overloaded",
    hint: expect.stringContaining("--model"),
  });
});

it("E24 a refused key names the variable that holds it", async () => {
  await using server = await wireServer([{ status: 401, events: [] }]);
  const model = await openModel("compatible/x", { OPENAI_BASE_URL: `${server.url}/v1` });
  const events: unknown[] = [];
  const request = { system: "", messages: [userMessage("hi")], tools: [], signal: new AbortController().signal };
  for await (const event of model.step(request)) events.push(event);
  expect(events.at(-1)).toMatchObject({ error: { statusCode: 401, hint: expect.stringContaining("OPENAI_API_KEY") } });
});

it.each([
  [
    "anthropic",
    {
      type: "error",
      error: { type: "invalid_request_error", message: "tools.1.custom.input_schema.type: Field required" },
    },
  ],
  [
    "openai",
    { error: { message: "Invalid schema for function 'Second': expected object", param: "tools[1].parameters" } },
  ],
  [
    "google",
    {
      error: {
        code: 400,
        status: "INVALID_ARGUMENT",
        message: "* GenerateContentRequest.tools[0].function_declarations[1].name: bad",
      },
    },
  ],
])("E24 a schema that the server of %s refuses: its tool is named", async (provider, json) => {
  await using server = await wireServer([{ status: 400, json }]);
  const env = {
    ...{ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url, OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url },
    ...{ GOOGLE_GENERATIVE_AI_API_KEY: "k", GOOGLE_BASE_URL: server.url },
  };
  const model = await openModel(`${provider}/some-model`, env);
  const tool = (name: string) => ({ name, description: "Does it.", input: { json: { type: "object" } } });
  const tools = [tool("First"), tool("Second"), tool("Third")] as unknown as ModelRequest["tools"];
  const errors: unknown[] = [];
  const { signal } = new AbortController();
  for await (const event of model.step({ system: "", messages: [userMessage("hi")], tools, signal }))
    if (event.type === "error") errors.push(event.error);
  expect(errors).toMatchObject([
    { message: expect.stringContaining("refuses the tool Second: "), hint: expect.stringContaining('"Second"') },
  ]);
});
