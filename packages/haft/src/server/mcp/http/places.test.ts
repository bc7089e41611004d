import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { servedHaft } from "../../../../../../test/support/served-haft.ts";
import { httpClient, initialize, post } from "../../../../test/support/http-client.ts";

it("Q13 who only holds connections open keeps nobody out, and loses those that it has held longest", {
  timeout: 60_000,
}, async () => {
  await using served = await servedHaft();
  const client = await httpClient(served);
  const port = Number(new URL(served.url).port);
  const closed: number[] = [];
  const hold = (index: number) => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.on("close", () => closed.push(index));
    socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    return socket;
  };
  const held = Array.from({ length: 1_000 }, (_, index) => hold(index));
  await Promise.all(held.map((socket) => once(socket, "connect")));
  for (let count = 0; count < 3; count += 1) {
    const answer = await post(served, initialize(), { Connection: "close" });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  expect(closed.length).toBeGreaterThan(0);
  expect(closed.length).toBeLessThan(20);
  expect(Math.max(...closed)).toBeLessThan(20);
  for (const socket of held) socket.destroy();
  await client.close();
});
