import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { scratch } from "../../../../test/support/haft-process.ts";

const CALLS = 900;

it("Q13 a client that reads no answers is read no further; when it reads again, it gets every answer", {
  tags: ["smoke"],
  timeout: 60_000,
}, async () => {
  using place = scratch();
  place.write("long.txt", `${"line after line ".repeat(100)}\n`.repeat(50));
  const child = place.start(["mcp"]);
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  send({ id: 0, method: "initialize", params });
  send({ method: "notifications/initialized" });
  const read = { name: "Read", arguments: { file_path: "long.txt" } };
  let sent = 0;
  const writer = (async () => {
    for (; sent < CALLS; sent += 1)
      if (!send({ id: `${sent + 1} ${"-".repeat(4_000)}`, method: "tools/call", params: read }))
        await new Promise((resolve) => child.stdin.once("drain", resolve));
  })();

  await new Promise((resolve) => child.stdout.once("readable", resolve));
  // Nobody reads: what the server takes of our calls comes to an end before they do.
  for (let before = -1; before !== sent; await wait(2_000)) before = sent;
  expect(sent).toBeLessThan(CALLS);

  let lines = 0;
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  await writer;
  while (lines < CALLS + 1) await wait(20);
  expect(bytes).toBeGreaterThan(CALLS * 40_000);
  child.stdin.end();
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
});
