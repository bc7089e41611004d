// WebSearch by the search of the model's own provider, against local fakes of what Anthropic, OpenAI and Google speak.
import type { IncomingMessage, ServerResponse } from "node:http";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { webServer } from "../../../host/test/support/web-server.ts";
import { mcpWorkspace, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";

const A = "https://a.example/1";
const B = "https://www.b.example/2";

const ANTHROPIC = {
  content: [
    { type: "text", text: "I'll search." },
    { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "red lanterns" } },
    {
      type: "web_search_tool_result",
      tool_use_id: "s1",
      content: [
        { type: "web_search_result", url: A, title: "One", page_age: "May 1, 2026", encrypted_content: "x" },
        { type: "web_search_result", url: B, title: "Two", page_age: null, encrypted_content: "y" },
      ],
    },
    {
      type: "text",
      text: "Lanterns are red.",
      citations: [{ type: "web_search_result_location", url: A, title: "One", cited_text: "Red lanterns shine." }],
    },
  ],
  stop_reason: "end_turn",
};
const OPENAI = {
  output: [
    {
      type: "web_search_call",
      status: "completed",
      action: {
        type: "search",
        query: "red lanterns",
        sources: [
          { type: "url", url: A },
          { type: "url", url: B },
        ],
      },
    },
    {
      type: "message",
      content: [
        {
          type: "output_text",
          text: "Red lanterns shine. ([a](x)) More.",
          annotations: [{ type: "url_citation", start_index: 20, end_index: 28, url: A, title: "One" }],
        },
      ],
    },
  ],
};
const GOOGLE = {
  candidates: [
    {
      content: { parts: [{ text: "Red lanterns shine." }] },
      groundingMetadata: {
        webSearchQueries: ["red lanterns"],
        groundingChunks: [
          { web: { uri: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A", title: "a.example" } },
          { web: { uri: "https://vertexaisearch.cloud.google.com/grounding-api-redirect/B", title: "www.b.example" } },
        ],
        groundingSupports: [{ segment: { text: "Red lanterns shine." }, groundingChunkIndices: [0] }],
      },
    },
  ],
};

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** A model's provider, with its key and address in the environment, and a session without any other setting. */
async function provider(name: string, answer: object, { status = 200, model, settings = {}, env = {} }: Options = {}) {
  const asked: Asked[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Asked["body"];
    asked.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };
  const server = await webServer({ "*": (request, response) => void reply(request, response) });
  const [key, url] = VARIABLES[name]!;
  const workspace = mcpWorkspace({ [USER_SETTINGS]: settings });
  const haft = await workspace.open({
    rules: { allow: ["WebSearch"] },
    env: { PATH: process.env.PATH, [key]: "key-1", [url]: `${server.origin}/v1`, ...env },
    ...(model === undefined ? {} : { model }),
  });
  return {
    ...{ asked, haft, origin: server.origin },
    search: (input: object = {}) => haft.call("WebSearch", { query: "red lanterns", ...input }),
    async [Symbol.asyncDispose]() {
      await haft[Symbol.asyncDispose]();
      workspace[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
interface Options {
  readonly status?: number;
  readonly model?: string;
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
}
const VARIABLES: Readonly<Record<string, readonly [key: string, url: string]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
  openai: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
  google: ["GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_BASE_URL"],
};

describe.each([
  ["anthropic", "claude-sonnet-5-5", ANTHROPIC, "/v1/messages", "x-api-key", "key-1"],
  ["openai", "gpt-5.6", OPENAI, "/v1/responses", "authorization", "Bearer key-1"],
  ["google", "gemini-x", GOOGLE, "/v1/models/gemini-x:generateContent", "x-goog-api-key", "key-1"],
] as const)("M02 the search of %s", (name, id, answer, path, header, key) => {
  const model = `${name}/${id}`;

  it(`M02 ${name} searches with the key of the model alone`, async () => {
    await using it = await provider(name, answer, { model });
    const { output, content, labels, error } = await it.search();
    expect(error).toBeUndefined();
    expect(output).toMatchObject({ provider: name, hits: [{ snippet: "Red lanterns shine." }, { snippet: "" }] });
    expect(contentsText(content)).toMatch(/^1\. (?:One|a\.example)\n/);
    expect(labels).toMatchObject({ integrity: "stranger", sources: [expect.stringContaining(it.origin)] });
    expect(it.asked).toMatchObject([{ path, headers: { [header]: key } }]);
    expect(JSON.stringify(it.asked[0]?.body)).toMatch(/red lanterns.*"(?:web_search_\d+|web_search|google_search)"/);
    if (name !== "google") expect(it.asked[0]?.body.model).toBe(id);
  });

  it(`M02 ${name} is told the domains, and results from others are left out`, async () => {
    await using it = await provider(name, answer, { model });
    const titles = async (input: object) =>
      ((await it.search(input)).output as { hits: { title: string; url: string }[] }).hits.map((hit) =>
        /b\.example|Two|\/B$/.test(`${hit.title} ${hit.url}`) ? "B" : "A",
      );
    expect(await titles({ allowed_domains: ["b.example"] })).toEqual(["B"]);
    expect(await titles({ blocked_domains: ["b.example"] })).toEqual(["A"]);
    for (const { body } of it.asked) expect(JSON.stringify(body)).toContain("b.example");
  });

  it(`M02 ${name} says what is wrong with a key, and with a server that does not search`, async () => {
    const refusal = { error: { message: "web search is not enabled for this model" } };
    await using closed = await provider(name, refusal, { model, status: 400 });
    expect((await closed.search()).error).toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining("web search is not enabled for this model"),
      hint: expect.stringContaining("web.search.provider"),
    });
    await using wrong = await provider(name, refusal, { model, status: 401 });
    expect((await wrong.search()).error).toMatchObject({ code: "permission_denied" });
    await using silent = await provider(name, { content: [{ type: "text", text: "Lanterns." }] }, { model });
    expect((await silent.search()).error).toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining("search"),
    });
  });
});

it("M02 an error of Anthropic's search is an error, and not an empty list", async () => {
  const content = [
    {
      type: "web_search_tool_result",
      content: { type: "web_search_tool_result_error", error_code: "too_many_requests" },
    },
  ];
  await using it = await provider("anthropic", { content });
  expect((await it.search()).error?.message).toContain("too_many_requests");
});

it("M02 a key without a model searches with the default model, and a provider of the settings comes first", async () => {
  await using it = await provider("anthropic", ANTHROPIC);
  expect((await it.search()).output).toMatchObject({ provider: "anthropic" });
  expect(it.asked[0]?.body.model).toMatch(/^claude-/);
  const settings = { web: { search: { provider: "brave", apiKey: "k" } } };
  await using other = await provider("anthropic", ANTHROPIC, { settings });
  expect((await other.haft.explain("WebSearch", { query: "abc" })).effects).toMatchObject([
    { do: "connect", host: "api.search.brave.com" },
  ]);
});

it("M02 the model of HAFT_MODEL counts, and a result without a title is shown by its address", async () => {
  await using it = await provider("openai", OPENAI, { env: { HAFT_MODEL: "openai/gpt-5.6-mini" } });
  const { display } = await it.search();
  expect(it.asked[0]?.body.model).toBe("gpt-5.6-mini");
  expect(display).toMatchObject({
    rows: [
      ["One", A],
      [B, B],
    ],
  });
});

it("M02 the key of another provider than the model's is used only if the settings name that provider", async () => {
  const offers = async (options: Options) => {
    await using it = await provider("anthropic", ANTHROPIC, options);
    return (await it.search()).error?.code;
  };
  expect(await offers({ model: "ollama/qwen" })).toBe("tool_unavailable");
  expect(
    await offers({ model: "ollama/qwen", settings: { web: { search: { provider: "anthropic" } } } }),
  ).toBeUndefined();
});

it.each([
  [{ SEARXNG_URL: "nonsense" }, {}, 'SEARXNG_URL is not a web address: "nonsense"'],
  [{ SEARXNG_URL: "file:///x", ANTHROPIC_API_KEY: "k" }, {}, "SEARXNG_URL is not"],
  [{}, { provider: "searxng" }, "SEARXNG_URL and web.search.url are not set"],
  [{}, { provider: "searxng", url: "search.example" }, 'web.search.url is not a web address: "search.example"'],
  [{}, { provider: "exa" }, "EXA_API_KEY is not set"],
  [{}, { provider: "openai" }, "OPENAI_API_KEY is not set"],
  [{}, {}, "BRAVE_API_KEY"],
])("M02 with %j and %j an error names what is wrong", async (env, search, reason) => {
  using workspace = mcpWorkspace({ [USER_SETTINGS]: { web: { search } } });
  await using haft = await workspace.open({ env: { PATH: process.env.PATH, ...env } });
  const { error } = await haft.call("WebSearch", { query: "abc" });
  expect([error?.code, error?.message]).toEqual(["tool_unavailable", expect.stringContaining(reason)]);
});
