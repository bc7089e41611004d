// Every notation of a closed address, through each path on which a model or a stranger chooses an address. A server
// that counts listens behind them. The browser's table is in web-browser.slow.test.ts, MCP's in @haft/mcp.
import { HaftError } from "@haft/core/tool";
import { download } from "@haft/plugins";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ELSEWHERE, LOOPBACK } from "../../../host/test/support/closed-addresses.ts";
import { type WebServer, webServer } from "../../../host/test/support/web-server.ts";
import { mcpWorkspace, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";
import { webWorkspace } from "../../test/support/web.ts";

let target: WebServer;
beforeAll(async () => {
  target = await webServer({ "*": "secret" });
});
afterAll(() => target[Symbol.asyncDispose]());

const closed = (): readonly string[] => [
  ...LOOPBACK.map((host) => `http://${host}:${target.port}/`),
  ...ELSEWHERE.map((host) => `http://${host}:8080/`),
];
/** As servers send it: the bytes of UTF-8. */
const header = (location: string): string => Buffer.from(location).toString("latin1");
/** A server that redirects `/0`, `/1` and so on to the closed addresses. */
const leading = (): Promise<WebServer> =>
  webServer(
    Object.fromEntries(
      closed().map((location, at) => [`/${at}`, { status: 302, headers: { location: header(location) } }]),
    ),
  );

it("M01 WebFetch reaches no closed address, even if a rule allows it", async () => {
  using workspace = mcpWorkspace();
  await using haft = await workspace.open({ rules: { allow: ["WebFetch", "connect(*)"] } });
  for (const url of closed()) {
    const { error } = await haft.call("WebFetch", { url });
    expect([url, error?.code]).toEqual([url, expect.stringMatching(/^(?:address_blocked|invalid_input)$/)]);
    expect(error?.hint, url).toBeTruthy();
  }
  expect(target.requests).toEqual([]);
});

it("M01 WebFetch follows no redirect to a closed address", async () => {
  await using web = await webWorkspace({}, { rules: { allow: ["WebFetch", "connect(*)"] } });
  for (const [at, location] of closed().entries()) {
    web.server.serve(`/${at}`, { status: 302, headers: { location: header(location) } });
    const { output, error } = await web.fetch(`/${at}`);
    expect(error?.code ?? (output as { readonly text: string }).text, location).not.toBe("secret");
  }
  expect(web.server.requests.length).toBe(closed().length);
  expect(target.requests).toEqual([]);
});

it("M02 a search provider leads WebSearch to no closed address", async () => {
  const places = closed();
  let at = 0;
  await using server = await webServer({
    "*": (_, response) => void response.writeHead(302, { location: header(places[at++] ?? "") }).end(),
  });
  using workspace = mcpWorkspace({
    [USER_SETTINGS]: { web: { search: { provider: "searxng", url: server.origin } } },
  });
  await using haft = await workspace.open({ rules: { allow: ["WebSearch", "connect(*)"] } });
  for (const [query, place] of places.entries())
    expect((await haft.call("WebSearch", { query: `lanterns ${query}` })).error, place).toBeDefined();
  expect([at, target.requests]).toEqual([places.length, []]);
});

it("R03 the address of a plugin's archive leads to no closed address", async () => {
  await using server = await leading();
  for (const [at, place] of closed().entries()) {
    const { signal } = new AbortController();
    const refused = await download(`${server.origin}/${at}`, { signal }).catch((thrown: unknown) => thrown);
    expect(HaftError.is(refused), place).toBe(true);
  }
  expect([server.requests.length, target.requests]).toEqual([closed().length, []]);
});
