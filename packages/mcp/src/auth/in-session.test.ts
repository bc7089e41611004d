import { setTimeout as wait } from "node:timers/promises";
import { createExecutor } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import { expect, it } from "vitest";
import { type AuthQuirks, oauthServer } from "../../test/servers/oauth.ts";
import { mcpBench } from "../../test/support/mcp.ts";
import { loopbackBrowser } from "./loopback.ts";

/** A session that has logged in, and whose login is over; the next visits last until they are let through. */
async function lostLogin() {
  const server = await oauthServer();
  let visits = 0;
  let letThrough = (): void => {};
  let gate: Promise<void> = Promise.resolve();
  const browser = loopbackBrowser((address) => {
    visits += 1;
    // A login that returns too late finds no listener.
    void gate
      .then(() => fetch(address))
      .then((answer) => answer.text())
      .catch(() => {});
  });
  const bench = mcpBench({ browser });
  bench.manager.add({ name: "locked", url: server.url });
  await bench.manager.settled();
  gate = new Promise((resolve) => {
    letThrough = resolve;
  });
  server.quirks.refresh = "over";
  server.expire();
  let count = 0;
  return {
    server,
    letThrough: () => letThrough(),
    visits: () => visits,
    async call(signal?: AbortSignal) {
      const calls = [{ id: `c${++count}`, tool: "mcp__locked__hello", input: {} }];
      const [outcome] = await createExecutor(bench.machine).run(calls, signal ? { signal } : {});
      return outcome!;
    },
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

it("Q01 Q10 calls share one login; a cancelled call ends at once, and the others still get the login", async () => {
  await using place = await lostLogin();
  const stop = new AbortController();
  const late = new AbortController();
  const first = place.call(stop.signal);
  await expect.poll(place.visits).toBe(2);
  const before = place.server.counts.refused;
  const second = place.call();
  const third = place.call(late.signal);
  await expect.poll(() => place.server.counts.refused).toBeGreaterThanOrEqual(before + 2);
  await wait(50);
  stop.abort();
  expect((await first).status).toBe("cancelled");
  late.abort();
  expect((await third).status).toBe("cancelled");
  place.letThrough();
  const { status, result } = await second;
  expect([status, contentsText(result.content)]).toEqual(["ok", "come in"]);
  expect(place.visits()).toBe(2);
});

it("Q10 a login that nobody waits for any more is given up, and the next call begins another", async () => {
  await using place = await lostLogin();
  const stop = new AbortController();
  const first = place.call(stop.signal);
  await expect.poll(place.visits).toBe(2);
  stop.abort();
  expect((await first).status).toBe("cancelled");
  const next = place.call();
  await expect.poll(place.visits).toBe(3);
  place.letThrough();
  expect((await next).status).toBe("ok");
});

it.each<[string, AuthQuirks]>([
  ["an issuer that it is not", { metadata: { issuer: "https://good.example" } }],
  ["a server that it is not", { metadata: { resource: "https://good.example/mcp" } }],
])("Q12 metadata that names %s is not believed: nobody is asked, and nothing is registered", async (_, quirks) => {
  await using server = await oauthServer(quirks);
  let visits = 0;
  const browser = loopbackBrowser(() => {
    visits += 1;
  });
  await using bench = mcpBench({ browser });
  bench.manager.add({ name: "locked", url: server.url });
  await bench.manager.settled();
  expect(bench.manager.list()[0]).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining("good.example"), hint: expect.any(String) },
  });
  expect([visits, server.counts.registered, server.counts.exchanged]).toEqual([0, 0, 0]);
});
