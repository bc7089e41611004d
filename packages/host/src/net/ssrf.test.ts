// Addresses that lead to this machine or a private network, in every dress that we know. A counting server listens.
import { HaftError } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ELSEWHERE, LOOPBACK } from "../../test/support/closed-addresses.ts";
import { type WebServer, webServer } from "../../test/support/web-server.ts";
import { createNet, type NetOptions } from "./index.ts";

let target: WebServer;
let six: WebServer | undefined;
beforeAll(async () => {
  target = await webServer({ "*": "secret" });
  six = await webServer({ "*": "secret" }, "::1").catch(() => undefined);
});
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await six?.[Symbol.asyncDispose]();
});

/** The outcome of a fetch: an error code, or the text. */
async function outcome(url: string, options: NetOptions = {}): Promise<string> {
  const net = createNet(options);
  try {
    return await (await net.fetch(url, { timeoutMs: 5000 })).text();
  } catch (thrown) {
    return HaftError.is(thrown) ? thrown.code : String(thrown);
  } finally {
    await net.close();
  }
}

describe("M01 addresses that are closed", () => {
  it.each(LOOPBACK)("M01 this machine as %s", async (host) => {
    expect(["address_blocked", "invalid_input"]).toContain(await outcome(`http://${host}:${target.port}/`));
    if (six) expect(await outcome(`http://${host}:${six.port}/`)).not.toBe("secret");
    expect([target.requests, six?.requests ?? []]).toEqual([[], []]);
  });

  it.each(ELSEWHERE)("M01 the network around as %s", async (host) => {
    expect(await outcome(`http://${host}:8080/`)).toBe("address_blocked");
  });

  it.each([
    "file:///etc/passwd",
    "ftp://example.com/",
    "data:text/html,x",
    "gopher://127.0.0.1:70/_x",
    "javascript:1",
    "ws://example.com/",
    "http://user:pass@example.com/",
    "http://user@127.0.0.1/",
    "http://example.com:22/",
    "https://example.com:25/",
    "http://example.com:0/",
  ])("M01 what is no plain web address: %s", async (url) => {
    expect(await outcome(url)).toBe("address_blocked");
  });

  it.each(["", "example.com", "http://", "http://[::1", "http://a b/", "http://exa mple.com\0/", "http://999.1.1.1/"])(
    "M01 what is no address: %j",
    async (url) => {
      expect(await outcome(url)).toBe("invalid_input");
    },
  );
});

describe("M01 what names lead to", () => {
  const leading = (...answers: readonly string[][]): NetOptions => {
    let asked = 0;
    return { lookup: async () => answers[Math.min(asked++, answers.length - 1)] ?? [] };
  };

  it.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["10.0.0.1"]],
    [["169.254.169.254"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["fd00:ec2::254"]],
    [["not an address"]],
    [[]],
  ])("M01 %j reaches nobody", async (addresses) => {
    const found = await outcome(`http://rebind.example:${target.port}/`, leading(addresses));
    expect(found).toBe("address_blocked");
    expect(target.requests).toEqual([]);
  });

  it("M01 a name that changes its answer is connected where it was checked", async () => {
    await using open = await webServer({ "/": "open" }, "127.0.0.2");
    const rebinding = leading(["127.0.0.2"], ["127.0.0.1"]);
    const url = `http://rebind.example:${open.port}/`;
    expect(await outcome(url, { ...rebinding, privateHosts: ["127.0.0.2/32"] })).toBe("open");
    expect(target.requests).toEqual([]);
    expect(await outcome(url, { ...leading(["127.0.0.1"]), privateHosts: ["127.0.0.2/32"] })).toBe("address_blocked");
  });
});

describe("M01 where redirects lead", () => {
  it.each([
    (port: number) => `http://127.0.0.1:${port}/`,
    (port: number) => `http://localhost:${port}/`,
    (port: number) => `http://2130706433:${port}/`,
    (port: number) => `http://[::ffff:127.0.0.1]:${port}/`,
    (port: number) => `//127.1:${port}/`,
    (port: number) => `http://rebind.example:${port}/`,
    (port: number) => `http://user:pass@127.0.0.1:${port}/`,
  ])("M01 a chain of redirects to a closed address: case %#", async (at) => {
    await using open = await webServer({
      "/": { status: 302, headers: { location: "/next" } },
      "/next": { status: 307, headers: { location: at(target.port) } },
    });
    const options = { privateHosts: [`127.0.0.1:${open.port}`], lookup: async () => ["127.0.0.1"] };
    expect(await outcome(`${open.origin}/`, options)).toBe("address_blocked");
    expect([open.requests, target.requests]).toEqual([["GET /", "GET /next"], []]);
  });
});
