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
  ])("M01 an address that is no plain web address: %s", async (url) => {
    expect(await outcome(url)).toBe("address_blocked");
  });

  it.each(["", "example.com", "http://", "http://[::1", "http://a b/", "http://exa mple.com\0/", "http://999.1.1.1/"])(
    "M01 text that is no address: %j",
    async (url) => {
      expect(await outcome(url)).toBe("invalid_input");
    },
  );
});

describe("M01 the addresses that names lead to", () => {
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
    [["127.1"]],
    [["0177.0.0.1"]],
    [["2130706433"]],
    [["::1%lo"]],
    [["fe80::1%eth0"]],
    [["localhost"]],
    [["127.0.0.1 "]],
    [["[::1]"]],
    [["::ffff:0:127.0.0.1"]],
    [["64:ff9b::127.0.0.1"]],
    [["2002:7f00:1::"]],
    [["0.0.0.0"]],
    [["::"]],
    [[""]],
    [[...Array.from({ length: 50 }, () => "93.184.216.34"), "::ffff:7f00:1"]],
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

describe("M01 the addresses that redirects lead to", () => {
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

  it.each<[number, (port: number) => string]>([
    [300, (port) => `http://127.0.0.1:${port}/`],
    [301, (port) => `\\\\127.0.0.1:${port}/`],
    [303, (port) => `/\\127.0.0.1:${port}/`],
    [308, (port) => `HTTP:\\\\127.1:${port}\\`],
    [302, (port) => `http:///127.0.0.1:${port}/`],
    [307, (port) => ` ht\ttp://0x7f.1:${port}/`],
    [302, (port) => `http://127.0.0.1:${port}#@example.com/`],
    [302, (port) => `http://127.0.0.1:${port}\\@example.com/`],
    [302, (port) => `//example.com@127.0.0.1:${port}/`],
    [302, (port) => `http://%31%32%37.0.0.1:${port}/`],
    [302, (port) => `http://[::ffff:7f00:1]:${port}/`],
  ])("M01 a redirect %d in another spelling: case %#, after nine hops, and for a POST", async (status, at) => {
    const hops = Object.fromEntries(
      Array.from({ length: 9 }, (_, hop) => [`/${hop}`, { status: 302, headers: { location: `/${hop + 1}` } }]),
    );
    const last = { status, headers: { location: at(target.port), refresh: `0; url=http://127.0.0.1:${target.port}/` } };
    await using open = await webServer({ ...hops, "/9": last });
    const net = createNet({ privateHosts: [`127.0.0.1:${open.port}`] });
    try {
      for (const request of [{}, { method: "POST", body: "x" }])
        await expect(net.fetch(`${open.origin}/0`, request)).rejects.toMatchObject({ code: "address_blocked" });
    } finally {
      await net.close();
    }
    expect([open.requests.length, target.requests]).toEqual([20, []]);
  });
});
