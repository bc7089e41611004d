// The web tools, called from the command line.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type WebServer, webServer } from "../../../../host/test/support/web-server.ts";
import { type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;
let server: WebServer;
beforeAll(async () => {
  place = scratch();
  const hits = { results: [{ title: "Lanterns", url: "https://a.example/1", content: "Red ones" }] };
  server = await webServer({
    "/page": `<html><body><h1>Lanterns</h1><p>${"Ships carry two lanterns. ".repeat(20)}</p></body></html>`,
    "/search": { headers: { "content-type": "application/json" }, body: JSON.stringify(hits) },
  });
  const web = { privateHosts: [`127.0.0.1:${server.port}`], search: { provider: "searxng", url: server.origin } };
  place.write("../home/.config/haft/settings.json", JSON.stringify({ web }));
});
afterAll(async () => {
  place[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

it.each([
  ["WebFetch", () => ({ url: `${server.origin}/page` }), "carry two lanterns", "fetching from 127.0.0.1"],
  ["WebSearch", () => ({ query: "lanterns" }), "https://a.example/1", "fetching from 127.0.0.1"],
])(
  "M01 M02 haft call and haft explain know the parts that %s needs",
  { tags: ["smoke"] },
  async (tool, input, found, asked) => {
    const call = [tool, JSON.stringify(input())];
    const [called, line, explained] = await Promise.all([
      place.haft(["call", ...call, "--allow", tool]),
      place.haft(["call", ...call, "--allow", tool, "--json"]),
      place.haft(["explain", ...call]),
    ]);
    expect(called.stderr).toBe("");
    expect(called.stdout).toContain(found);
    expect(JSON.parse(line.stdout)).toMatchObject({ labels: { integrity: "stranger" } });
    expect(explained.stdout).toContain(`ask ${tool}: Mode default asks before ${asked}.`);
  },
);
