import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { hostedModels, reachableModels } from "./hosted-models.ts";

interface Place extends AsyncDisposable {
  readonly url: string;
  readonly heard: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[];
}

/** A provider that answers every request with this text. */
async function provider(body: string, status = 200): Promise<Place> {
  const heard: Place["heard"] = [];
  const server = createServer(({ url = "", headers }, response) => {
    heard.push({ path: url, headers });
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const namesOf = async (env: Record<string, string>) => (await hostedModels(env)).map(({ name }) => name);

it("E25 the list of models has those of each provider whose key is set, the default first", async () => {
  await using anthropic = await provider(
    JSON.stringify({ data: [{ id: "claude-opus-5", display_name: "Opus" }, { id: "claude-sonnet-5-5" }] }),
  );
  await using openai = await provider(
    JSON.stringify({ data: [{ id: "gpt-5.6" }, { id: "gpt-5.6-mini" }, { id: "tts-1" }, { id: "gpt-image-2" }] }),
  );
  await using google = await provider(
    JSON.stringify({
      models: [
        { name: "models/gemini-flash", supportedGenerationMethods: ["generateContent"] },
        { name: "models/embedding-1", supportedGenerationMethods: ["embedContent"] },
      ],
    }),
  );
  const env = {
    ...{ ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: anthropic.url },
    ...{ OPENAI_API_KEY: "o", OPENAI_BASE_URL: `${openai.url}/` },
    ...{ GOOGLE_GENERATIVE_AI_API_KEY: "g", GOOGLE_BASE_URL: google.url },
    // Nothing of this machine counts.
    ...{ OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_BASE_URL: "127.0.0.1:1", LLAMA_BASE_URL: "127.0.0.1:1" },
  };
  expect(await reachableModels(env)).toEqual([
    { name: "anthropic/claude-sonnet-5-5", about: "ANTHROPIC_API_KEY is set" },
    { name: "anthropic/claude-opus-5", about: "Opus" },
    { name: "openai/gpt-5.6", about: "OPENAI_API_KEY is set" },
    { name: "openai/gpt-5.6-mini", about: "OpenAI" },
    { name: "google/gemini-3.8-flash", about: "GOOGLE_GENERATIVE_AI_API_KEY is set" },
    { name: "google/gemini-flash", about: "Google" },
    ...["gpt-5.6", "gpt-5.6-mini", "tts-1", "gpt-image-2"].map((name) => ({
      ...{ name: `compatible/${name}`, about: "the server at OPENAI_BASE_URL" },
    })),
  ]);
  expect(anthropic.heard).toMatchObject([{ path: "/v1/models?limit=100", headers: { "x-api-key": "a" } }]);
  const asked = { path: "/v1/models", headers: { authorization: "Bearer o" } };
  expect(openai.heard).toMatchObject([asked, asked]);
  expect(google.heard).toMatchObject([{ headers: { "x-goog-api-key": "g" } }]);
});

it("E25 the list of models has those of a server of one's own, which needs no key", async () => {
  await using place = await provider(JSON.stringify({ data: [{ id: "qwen3-coder" }] }));
  expect(await namesOf({ OPENAI_BASE_URL: place.url })).toEqual(["compatible/qwen3-coder"]);
  expect(place.heard[0]?.headers.authorization).toBeUndefined();
});

it("E25 a provider without a list leaves its default, and one without a key is not asked", async () => {
  for (const [body, status] of [
    ["<html>", 200],
    ["{}", 200],
    ['{"data":7}', 200],
    ["{}", 401],
  ] as const) {
    await using place = await provider(body, status);
    const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: place.url };
    expect(await namesOf(env)).toEqual(["anthropic/claude-sonnet-5-5"]);
    expect(place.heard).toHaveLength(1);
    expect(await namesOf({ ANTHROPIC_BASE_URL: place.url })).toEqual([]);
    expect(place.heard).toHaveLength(1);
  }
  expect(await namesOf({ OPENAI_API_KEY: "o", OPENAI_BASE_URL: "not an address" })).toEqual(["openai/gpt-5.6"]);
});

it("E25 the address of Anthropic counts with and without its version", async () => {
  await using anthropic = await provider(JSON.stringify({ data: [{ id: "claude-sonnet-5-5" }] }));
  for (const address of [anthropic.url, `${anthropic.url}/`, new URL(anthropic.url).origin]) {
    const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: address };
    expect(await namesOf(env)).toContain("anthropic/claude-sonnet-5-5");
  }
  expect(new Set(anthropic.heard.map(({ path }) => path))).toEqual(new Set(["/v1/models?limit=100"]));
});
