// WebSearch against local fakes of what the providers speak.
import type { IncomingMessage, ServerResponse } from "node:http";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { webServer } from "../../../host/test/support/web-server.ts";
import { mcpWorkspace, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** A provider that notes what it is asked, and answers the same each time. */
async function provider(answer: string | object, status = 200) {
  const asked: Asked[] = [];
  const reply = (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const url = new URL(request.url ?? "", "http://x");
      asked.push({
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: text === "" ? {} : JSON.parse(text),
      });
      response.writeHead(status).end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  };
  const server = await webServer({ "*": reply });
  return { ...server, asked };
}

async function searching(name: string, place: { readonly origin: string }, more: object = {}, env: object = {}) {
  const workspace = mcpWorkspace({
    [USER_SETTINGS]: { web: { search: { provider: name, url: place.origin, apiKey: "key-1", ...more } } },
  });
  const haft = await workspace.open({ rules: { allow: ["WebSearch"] }, env: { PATH: process.env.PATH, ...env } });
  return {
    haft,
    search: (input: object) => haft.call("WebSearch", { query: "red lanterns", ...input }),
    async [Symbol.asyncDispose]() {
      await haft[Symbol.asyncDispose]();
      workspace[Symbol.dispose]();
    },
  };
}

const A = "https://a.example/1";
const B = "https://www.b.example/2";
const rows = (field: string) => [
  { title: "One &amp; <b>two</b>", url: A, [field]: "About <strong>red</strong> lanterns" },
  { title: "Three", url: B, [field]: "Four" },
];
const DUCK = `<div class="result"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(A)}&amp;rut=1">One &amp; <b>two</b></a>
<a class="result__snippet" href="x">About <b>red</b> lanterns</a></div><div class="result"><a class="result__a" href="https://duckduckgo.com/y.js?ad=1">Ad</a></div>
<div><a class="result__a" href="${B}">Three</a><a class="result__snippet" href="x">Four</a></div>`;

const FORMATS = [
  ["brave", { web: { results: rows("description") } }],
  ["tavily", { results: rows("content") }],
  ["exa", { results: rows("text") }],
  ["searxng", { results: rows("content") }],
  ["duckduckgo", DUCK],
] as const;

describe.each(FORMATS)("M02 the provider %s", (name, answer) => {
  it(`M02 ${name} is asked in its own format, and its results are read`, async () => {
    await using place = await provider(answer);
    await using it = await searching(name, place);
    const { output, content, labels, error } = await it.search({});
    expect(error).toBeUndefined();
    expect(output).toMatchObject({
      provider: name,
      hits: [
        { title: "One & two", url: A, snippet: "About red lanterns" },
        { title: "Three", url: B, snippet: "Four" },
      ],
    });
    expect(contentsText(content)).toContain(`1. One & two\n   ${A}`);
    expect(labels).toMatchObject({ integrity: "stranger", sources: [expect.stringContaining(place.origin)] });
    const [asked] = place.asked;
    expect(asked?.query.get("q") ?? asked?.body.query).toBe("red lanterns");
    const key = { brave: "x-subscription-token", tavily: "authorization", exa: "x-api-key" }[name as string];
    if (key) expect(String(asked?.headers[key])).toContain("key-1");
    else expect(JSON.stringify(asked)).not.toContain("key-1");
  });

  it(`M02 ${name} is told the domains, and results from others are left out`, async () => {
    await using place = await provider(answer);
    await using it = await searching(name, place);
    const urls = async (input: object) =>
      ((await it.search(input)).output as { hits: { url: string }[] }).hits.map(({ url }) => url);
    expect(await urls({ allowed_domains: ["b.example"] })).toEqual([B]);
    expect(await urls({ blocked_domains: ["b.example"] })).toEqual([A]);
    expect(await urls({ count: 1 })).toEqual([A]);
    expect(JSON.stringify(place.asked.map(({ query, body }) => [query.get("q"), body]))).toContain("b.example");
  });

  it(`M02 ${name} says what is wrong with a key, a limit and an answer in no known form`, async () => {
    for (const [status, code] of [
      [401, "permission_denied"],
      [429, "limit_reached"],
      [500, "fetch_failed"],
    ] as const) {
      await using place = await provider("no", status);
      await using it = await searching(name, place);
      expect((await it.search({})).error).toMatchObject({ code, hint: expect.any(String) });
    }
    await using odd = await provider(name === "duckduckgo" ? "<p>Are you human?" : "<html>");
    await using it = await searching(name, odd);
    expect((await it.search({})).error?.code).toBe("fetch_failed");
  });
});

it("M02 without a result it says so, to the model and to people", async () => {
  await using place = await provider({ results: [] });
  await using it = await searching("searxng", place);
  const { content, display } = await it.search({});
  expect(contentsText(content)).toContain('No results for "red lanterns"');
  expect(display).toEqual({ kind: "text", text: 'No results for "red lanterns".' });
});

it("M02 asks the same question once, and needs one kind of domains", async () => {
  await using place = await provider({ results: rows("content") });
  await using it = await searching("searxng", place);
  await it.search({});
  await it.search({});
  expect(place.asked.length).toBe(1);
  expect((await it.search({ allowed_domains: ["a"], blocked_domains: ["b"] })).error?.code).toBe("invalid_input");
});

it("M02 WebSearch asks, and a deny for the provider's host forbids it", async () => {
  await using place = await provider({ results: [] });
  const workspace = mcpWorkspace({ [USER_SETTINGS]: { web: { search: { provider: "searxng", url: place.origin } } } });
  using _ = workspace;
  const decide = async (rules: object) => {
    await using one = await workspace.open({ rules });
    return (await one.explain("WebSearch", { query: "abc" })).decision?.decision;
  };
  expect(await decide({})).toBe("ask");
  expect(await decide({ allow: ["WebSearch"] })).toBe("allow");
  expect(await decide({ deny: ["connect(127.0.0.1)"] })).toBe("deny");
  expect(place.asked).toEqual([]);
});

it.each([
  ["no key", {}, {}, undefined],
  ["a key in the environment", {}, { BRAVE_API_KEY: "k" }, "brave"],
  ["the order of providers", {}, { EXA_API_KEY: "k", TAVILY_API_KEY: "k" }, "tavily"],
  ["a provider without its key", { web: { search: { provider: "brave" } } }, {}, undefined],
  ["a provider that needs none", { web: { search: { provider: "duckduckgo" } } }, {}, "duckduckgo"],
])("M02 WebSearch with %s", async (_, settings, env, name) => {
  using workspace = mcpWorkspace({ [USER_SETTINGS]: settings });
  await using haft = await workspace.open({ env: { PATH: process.env.PATH, ...env } });
  const { tools } = await haft.for("anthropic");
  expect(tools.some((tool) => "name" in tool && tool.name === "WebSearch")).toBe(name !== undefined);
  if (name === undefined) {
    const { error } = await haft.call("WebSearch", { query: "abc" });
    expect([error?.code, error?.message]).toEqual(["tool_unavailable", expect.stringContaining("BRAVE_API_KEY")]);
  }
});

it("M02 M01 the user's own search server on this machine is open to searches, and to no other tool", async () => {
  await using place = await provider({ results: rows("content") });
  await using site = await searching("searxng", place);
  expect((await site.search({})).error).toBeUndefined();
  const { error } = await site.haft.call("WebFetch", { url: `${place.origin}/page` });
  expect(error?.code).toBe("address_blocked");
  expect(place.asked.map(({ path }) => path)).toEqual(["/search"]);
});

it("M02 a project's settings do not choose who is asked", async () => {
  await using place = await provider({ results: [] });
  using workspace = mcpWorkspace({
    "work/.haft/settings.json": { web: { search: { provider: "searxng", url: place.origin } } },
  });
  await using haft = await workspace.open({ trusted: true, rules: { allow: ["WebSearch"] } });
  expect((await haft.call("WebSearch", { query: "abc" })).error?.code).toBe("tool_unavailable");
  expect(place.asked).toEqual([]);
});
