import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { servedHaft } from "../../../../../../test/support/served-haft.ts";
import { scratch } from "../../../../test/support/haft-process.ts";
import { httpClient, initialize, post } from "../../../../test/support/http-client.ts";

it("Q13 a client that only holds connections open keeps nobody out, and loses those that it has held longest", {
  tags: ["smoke"],
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

it("Q13 a client that holds every connection with a token keeps no other token out, and ends no open one", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  const [ann, ben] = ["a".repeat(20), "b".repeat(20)];
  place.write("tokens", `ann ${ann}\nben ${ben}\n`);
  await using served = await servedHaft(["--token-file", join(place.cwd, "tokens"), "--allow", "Bash"], { place });
  const client = await httpClient(served, { token: ann });
  const slow = client.callTool({ name: "Bash", arguments: { command: "sleep 6; echo done" } });
  let answered = 0;
  // A request that is answered, and the beginning of another: it stays open without one.
  const hold = () => {
    const socket = connect(Number(new URL(served.url).port), "127.0.0.1").on("error", () => {});
    socket.once("data", () => {
      answered += 1;
      socket.write("POST /mcp HTTP/1.1\r\nHost:");
    });
    socket.write(`DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ben}\r\n\r\n`);
    return socket;
  };
  const held = Array.from({ length: 1_050 }, hold);
  await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(990);
  for (let count = 0; count < 10; count += 1) {
    const answer = await post(served, initialize(), { Authorization: `Bearer ${ann}`, Connection: "close" });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  expect(JSON.stringify((await slow).content)).toContain("done");
  for (const socket of held) socket.destroy();
  await client.close();
});
