import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { initialize, post } from "../../../../test/support/http-client.ts";

let served: ServedHaft;
beforeAll(async () => {
  served = await servedHaft();
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

async function session(): Promise<Record<string, string>> {
  const opened = await post(served, initialize({ elicitation: {} }));
  await opened.text();
  const within = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
  await post(served, { jsonrpc: "2.0", method: "notifications/initialized" }, within);
  return within;
}

/** A call that waits for the leave of its client. */
const write = (id: number) => {
  const params = { name: "Write", arguments: { file_path: `${id}.txt`, content: "x" } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
};
const cancel = (requestId: number) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

/** The text of a stream until it ends. */
const messages = async (response: Response): Promise<{ id?: number; method?: string }[]> =>
  [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ""));

it("Q13 the stream of a call that its client cancels ends without an answer; others of its batch get theirs", {
  tags: ["smoke"],
}, async () => {
  const within = await session();
  const alone = await post(served, write(2), within);
  await sleep(200);
  await post(served, cancel(2), within);
  const said = await messages(alone);
  // The question that nobody has to answer any more is taken back.
  expect(said.map(({ method }) => method)).toEqual(["elicitation/create", "notifications/cancelled"]);

  const older = { ...initialize({ elicitation: {} }), params: { ...oldest, capabilities: { elicitation: {} } } };
  const opened = await post(served, older);
  await opened.text();
  const inOlder = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
  const batch = await post(served, [write(3), { jsonrpc: "2.0", id: 4, method: "ping" }], inOlder);
  await sleep(200);
  await post(served, cancel(3), inOlder);
  expect((await messages(batch)).flatMap(({ id, method }) => (method === undefined ? [id] : []))).toEqual([4, 3]);
});
const oldest = { protocolVersion: "2025-03-26", clientInfo: { name: "raw", version: "1" } };

it("Q13 a client with the greatest number of waiting calls can still answer, cancel and end the session", async () => {
  const within = await session();
  const calls = await Promise.all(Array.from({ length: 256 }, (_, at) => post(served, write(100 + at), within)));
  expect(calls.map(({ status }) => status)).not.toContain(429);
  const tooMany = await post(served, write(999), within);
  expect([tooMany.status, tooMany.headers.get("retry-after")]).toEqual([429, "1"]);
  const [first] = await messages(new Response((await calls[0]!.body!.getReader().read()).value));
  const answer = { jsonrpc: "2.0", id: first?.id, result: { action: "decline" } };
  expect((await post(served, answer, within)).status).toBe(202);
  expect((await post(served, cancel(101), within)).status).toBe(202);
  await calls[1]!.text();
  const headers = { Authorization: `Bearer ${served.token}`, ...within };
  expect((await fetch(served.url, { method: "DELETE", headers })).status).toBe(200);
  await Promise.all(calls.slice(2).map((call) => call.text()));
  expect((await post(served, initialize())).status).toBe(200);
});
