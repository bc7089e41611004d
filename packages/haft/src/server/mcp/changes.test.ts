import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { HAFT, scratch } from "../../../test/support/haft-process.ts";

const MODULE = `
const listeners = new Set();
let extra = false;
const tell = (change) => listeners.forEach((listener) => listener(change));
const tool = (name, run, more = {}) =>
  ({ name, description: name + ".", input: { type: "object", properties: {} }, can: [], effects: () => [], run, ...more });
export const tools = [
  tool("show", () => { extra = true; tell({ kind: "tools" }); return "shown"; }),
  tool("touch", () => { tell({ kind: "resource", uri: "x://a" }); tell({ kind: "resource", uri: "x://b" }); return "touched"; }),
  tool("storm", () => { for (let at = 0; at < 20000; at++) tell({ kind: "resource", uri: "x://a" }); return "over"; }),
  tool("extra", () => "extra", { when: () => extra || { absent: "not shown yet" } }),
];
export const resources = () => ["x://a", "x://b"].map((uri) => ({ uri, name: uri }));
export const read = (uri) => (uri.startsWith("x://") ? { contents: [{ uri, text: "x" }] } : undefined);
export const watch = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };
`;

it("Q13 a client gets one notice of changed tools, and notices of single resources only after it subscribed", async () => {
  using place = scratch();
  const client = new Client({ name: "test", version: "1" });
  const heard: string[] = [];
  client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("tools"));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  const args = [...HAFT, "mcp", "--module", place.write("module.mjs", MODULE)];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: place.cwd, env: place.env, stderr: "ignore" }),
  );
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).not.toContain("extra");
  await client.callTool({ name: "show", arguments: {} });
  await expect.poll(() => heard).toEqual(["tools"]);
  expect(await names()).toContain("extra");
  await client.subscribeResource({ uri: "x://a" });
  await client.callTool({ name: "touch", arguments: {} });
  await expect.poll(() => heard).toEqual(["tools", "x://a"]);
  // The same change many times in a moment is one notice: a slow reader must not fill our memory.
  await client.callTool({ name: "storm", arguments: {} });
  await expect.poll(() => heard).toEqual(["tools", "x://a", "x://a"]);
  await client.unsubscribeResource({ uri: "x://a" });
  await client.callTool({ name: "touch", arguments: {} });
  await sleep(200);
  await client.ping();
  expect(heard).toEqual(["tools", "x://a", "x://a"]);
  await client.close();
});
