import { defineTool, effects } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { type WebServer, webServer } from "../../../host/test/support/web-server.ts";
import { mcpWorkspace, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";

/** A tool that fetches one address and says that it connects to another, if at all. */
const Get = defineTool({
  name: "Get",
  description: "Fetches an address.",
  input: z.object({
    url: z.string().describe("The address."),
    says: z.string().describe("The address that it declares."),
    post: z.boolean().optional().describe("Sends."),
  }),
  can: ["connect"],
  effects: ({ says, post = false }) => [effects.connect(says, { sends: post })],
  run: async ({ url, post }, { ports, signal }) =>
    (await ports.net.fetch(url, { signal, ...(post ? { method: "POST", body: "x" } : {}) })).text(),
});

const open = (
  server: WebServer,
  settings: object = { web: { privateHosts: [`127.0.0.1:${server.port}`] } },
  place = USER_SETTINGS,
) => {
  const workspace = mcpWorkspace({ [place]: settings });
  return { workspace, haft: workspace.open({ tools: [Get], rules: { allow: ["Get"] } }) };
};

it("M01 a tool's request goes where its connect effects lead, and nowhere else", async () => {
  await using server = await webServer({ "/": "hello" });
  const { workspace, haft } = open(server);
  using _ = workspace;
  await using opened = await haft;
  const url = `${server.origin}/`;
  expect((await opened.call("Get", { url, says: url })).output).toBe("hello");
  expect((await opened.call("Get", { url, says: "http://127.0.0.1:1/" })).error?.code).toBe("undeclared_effect");
  expect((await opened.call("Get", { url: "nothing", says: url })).error?.code).toBe("invalid_input");
  expect(server.requests).toEqual(["GET /"]);
});

it.each([
  ["no settings", USER_SETTINGS, {}],
  ["settings of the project", "work/.haft/settings.json", undefined],
])("M01 web.privateHosts: this machine is closed with %s", async (_, place, settings) => {
  await using server = await webServer({ "/": "hello" });
  const { workspace, haft } = open(server, settings, place);
  using _workspace = workspace;
  await using opened = await haft;
  const url = `${server.origin}/`;
  const result = await opened.call("Get", { url, says: url });
  expect([result.error?.code, result.error?.hint]).toEqual([
    "address_blocked",
    expect.stringContaining("web.privateHosts"),
  ]);
  expect(server.requests).toEqual([]);
});

it("M01 web.privateHosts of a project counts no more when the folder is trusted", async () => {
  await using server = await webServer({ "/": "hello" });
  using workspace = mcpWorkspace({ "work/.haft/settings.json": { web: { privateHosts: ["127.0.0.1"] } } });
  const said: string[] = [];
  await using haft = await workspace.open({
    onNotice: ({ message }) => void said.push(message),
    trusted: true,
    tools: [Get],
    rules: { allow: ["Get"] },
  });
  const url = `${server.origin}/`;
  expect((await haft.call("Get", { url, says: url })).error?.code).toBe("address_blocked");
  expect(said.join()).toContain("a project cannot open private networks");
});
