import { expect, it } from "vitest";
import { mcpBench } from "../../test/support/mcp.ts";

/** Its subscriptions: the first one it takes, the second it refuses, and then it takes them again. It says which it has. */
const FICKLE = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const key = "io.modelcontextprotocol/subscriptionId";
let asked = 0;
let inForce = [];
const results = {
  "server/discover": () => ({
    resultType: "complete", ttlMs: 0, cacheScope: "private", supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: { subscribe: true } }, serverInfo: { name: "fickle", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "inForce", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private" }),
  "tools/call": () => ({ content: [{ type: "text", text: inForce.map(({ uris }) => uris.join(" ")).join(" | ") }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "notifications/cancelled") inForce = inForce.filter((one) => one.id !== params.requestId);
  if (id === undefined) return;
  if (method === "subscriptions/listen") {
    if (++asked === 2) return send({ id, error: { code: -32000, message: "too busy" } });
    inForce.push({ id, uris: params.notifications.resourceSubscriptions });
    return send({ method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [key]: id }, notifications: params.notifications } });
  }
  const result = results[method]?.();
  send({ id, ...(result ? { result: { resultType: "complete", ...result } } : { error: { code: -32601, message: "no" } }) });
});`;

it("Q10 a subscription that a server refuses leaves the one before in force, and is asked for again", {
  timeout: 30_000,
}, async () => {
  await using bench = mcpBench();
  const heard: unknown[] = [];
  bench.manager.onResource(({ uri }) => void heard.push(uri));
  bench.manager.add({ name: "fickle", command: process.execPath, args: ["-e", FICKLE] });
  await bench.manager.settled();
  const inForce = async () => {
    const { content } = (await bench.call("mcp__fickle__inForce")).result;
    return content.map((one) => (one.type === "text" ? one.text : "")).join("");
  };
  bench.manager.follow("fickle", "a:1");
  await expect.poll(inForce).toBe("a:1");
  bench.manager.follow("fickle", "a:2");
  await expect.poll(() => bench.manager.logs("fickle").join("\n")).toContain("too busy");
  expect(await inForce()).toBe("a:1");
  await expect.poll(inForce, { timeout: 10_000 }).toBe("a:1 a:2");
  // No notice came for the change made meanwhile.
  await expect.poll(() => heard).toEqual(expect.arrayContaining(["a:1", "a:2"]));
});

/** Tells of changes without end when it is subscribed to: of that one, of parts of it, and of what nobody follows. */
const STORM = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {}, resources: { subscribe: true } }, serverInfo: { name: "storm", version: "1" } },
  "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "still here" }] },
  "resources/subscribe": {}, "resources/unsubscribe": {},
};
let subscribed = 0;
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  send({ id, ...(results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } }) });
  if (method !== "resources/subscribe" || ++subscribed !== 5000) return;
  for (let count = 0; count < 20000; count++)
    for (const uri of ["a:/x/" + count % 5000, "a:/x/1/part", "b:/" + "/".repeat(count % 50)])
      send({ method: "notifications/resources/updated", params: { uri } });
});`;

it("Q10 a storm of changes is few pieces of news, and leaves no listener behind for each request of a crowd", {
  tags: ["smoke"],
  timeout: 60_000,
}, async () => {
  await using bench = mcpBench();
  const heard = new Map<string | undefined, number>();
  bench.manager.onResource(({ uri }) => void heard.set(uri, (heard.get(uri) ?? 0) + 1));
  bench.manager.add({ name: "storm", command: process.execPath, args: ["-e", STORM] });
  await bench.manager.settled();
  const warned: Error[] = [];
  const warn = (warning: Error): void => void warned.push(warning);
  process.on("warning", warn);
  for (let count = 0; count < 5_000; count++) bench.manager.follow("storm", `a:/x/${count}`);
  await expect.poll(() => heard.size, { timeout: 30_000 }).toBe(5_000);
  expect((await bench.call("mcp__storm__look")).status).toBe("ok");
  expect(Math.max(...heard.values())).toBeLessThan(500);
  expect([...heard.keys()].every((uri) => uri?.startsWith("a:/x/"))).toBe(true);
  process.off("warning", warn);
  expect(warned).toEqual([]);
});
