import { gzipSync } from "node:zlib";
import { HaftError, type NetRequest } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { type Reply, webServer } from "../../test/support/web-server.ts";
import { createNet } from "./index.ts";

async function site(pages: Readonly<Record<string, Reply>>) {
  const server = await webServer(pages);
  const net = createNet({ privateHosts: [`127.0.0.1:${server.port}`] });
  return {
    ...server,
    fetch: (path: string, request?: NetRequest) => net.fetch(`${server.origin}${path}`, request),
    /** The error code of a fetch that is read to its end. */
    fails: (path: string, request?: NetRequest) =>
      net
        .fetch(`${server.origin}${path}`, request)
        .then((response) => response.text().then(() => "answered", codeOf), codeOf),
    async [Symbol.asyncDispose]() {
      await net.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const codeOf = (thrown: unknown): string => (HaftError.is(thrown) ? thrown.code : String(thrown));

describe("the guarded client", () => {
  it("M01 follows redirects and says where the answer came from", async () => {
    await using place = await site({ "/": { status: 301, headers: { location: "/b?x" } }, "/b": "here" });
    const response = await place.fetch("/");
    expect([await response.text(), response.url]).toEqual(["here", `${place.origin}/b?x`]);
  });

  it("M01 returns a redirect beyond the grant as it is, and all of them with manual", async () => {
    await using place = await site({ "/": { status: 302, headers: { location: "/b" } }, "/b": "here" });
    const beyond = await place.fetch("/", { within: ({ url }) => url.pathname !== "/b" });
    expect([beyond.status, beyond.headers.get("location")]).toEqual([302, "/b"]);
    expect((await place.fetch("/", { redirect: "manual" })).status).toBe(302);
    expect(place.requests).toEqual(["GET /", "GET /"]);
  });

  it.each(["gzip", "deflate", "br", "zstd"])("M01 says that a body is not the %s that it claims", async (encoding) => {
    const whole = gzipSync("x".repeat(9_999));
    await using place = await site({
      "/": { headers: { "content-encoding": encoding }, body: "not compressed" },
      "/late": { headers: { "content-encoding": "gzip" }, body: Buffer.concat([whole.subarray(0, 20), whole]) },
    });
    await expect(place.fetch("/").then((response) => response.text())).rejects.toMatchObject({
      code: "fetch_failed",
      message: expect.stringContaining(`The body of ${place.origin}/ is not valid ${encoding}: `),
    });
    await expect(place.fetch("/late").then((response) => response.text())).rejects.toMatchObject({
      message: expect.stringContaining("not valid gzip"),
    });
  });

  it("M01 ends loops of redirects", async () => {
    await using place = await site({ "/": { status: 302, headers: { location: "/" } } });
    expect(await place.fails("/")).toBe("fetch_failed");
    expect(place.requests.length).toBe(11);
  });

  it("M01 sends credentials to the origin they are for, and a body to nobody by a 303", async () => {
    await using other = await webServer({ "/": "other" });
    await using place = await webServer({ "/": { status: 303, headers: { location: `${other.origin}/` } } });
    const net = createNet({ privateHosts: ["127.0.0.1"] });
    await net.fetch(`${place.origin}/`, {
      method: "POST",
      body: "secret",
      headers: { Authorization: "Bearer x", cookie: "a=b", "x-own": "1" },
    });
    const { authorization, cookie, "x-own": own } = other.headers();
    expect([other.requests, authorization, cookie, own]).toEqual([["GET /"], undefined, undefined, "1"]);
    await net.close();
  });

  it("M01 keeps no cookies", async () => {
    await using place = await site({ "/": { headers: { "set-cookie": "a=b" } } });
    await (await place.fetch("/")).text();
    await (await place.fetch("/")).text();
    expect(place.headers().cookie).toBeUndefined();
  });

  it("M01 ends a body that does not end, one that is too large, and a bomb before it unfolds", async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    await using place = await site({
      "/bomb": { headers: { "content-encoding": "gzip" }, body: bomb },
      "/large": "x".repeat(2000),
      "/endless": (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write("x".repeat(4096)), 1);
        response.once("close", () => clearInterval(timer));
      },
      "/silent": (_, response) => void response.writeHead(200).write("x"),
      "/mute": () => {},
    });
    const before = process.memoryUsage.rss();
    expect(await place.fails("/bomb", { maxBytes: 100_000 })).toBe("file_too_large");
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
    expect(await place.fails("/large", { maxBytes: 1000 })).toBe("file_too_large");
    expect(await place.fails("/endless", { maxBytes: 100_000 })).toBe("file_too_large");
    expect(await place.fails("/silent", { timeoutMs: 100 })).toBe("timeout");
    expect(await place.fails("/mute", { timeoutMs: 100 })).toBe("timeout");
  });

  it("E13 ends with the signal of the call, before and while the body comes", async () => {
    await using place = await site({ "/": (_, response) => void response.writeHead(200).write("x") });
    const before = new AbortController();
    const gone = place.fetch("/", { signal: before.signal });
    before.abort();
    await expect(gone).rejects.toHaveProperty("name", "AbortError");
    const during = new AbortController();
    const response = await place.fetch("/", { signal: during.signal });
    const read = response.text();
    during.abort();
    await expect(read).rejects.toHaveProperty("name", "AbortError");
  });

  it("M01 says why nothing answers", async () => {
    const gone = await webServer();
    await gone[Symbol.asyncDispose]();
    const net = createNet({ privateHosts: ["127.0.0.1"] });
    await expect(net.fetch(gone.origin)).rejects.toMatchObject({ code: "fetch_failed" });
    await net.close();
    const empty = createNet({ lookup: async () => [] });
    const unknown = { hint: expect.stringContaining("Check the address") };
    await expect(empty.fetch("http://lantern.example/")).rejects.toMatchObject(unknown);
    await empty.close();
  });
});
