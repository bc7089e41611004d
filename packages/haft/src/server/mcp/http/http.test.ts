import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServedHaft, servedHaft } from "../../../../../../test/support/served-haft.ts";
import { httpClient, initialize, modernCall, post, textOf } from "../../../../test/support/http-client.ts";
import { createTokens, readTokens } from "../../http/tokens.ts";

let served: ServedHaft;
beforeAll(async () => {
  served = await servedHaft();
  served.place.write("a.txt", "hello\n");
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const rpc = async (response: Response) => (await response.json()) as { error?: { code: number; message: string } };

describe("access to a server over HTTP", () => {
  it("Q13 needs the token; the refusal says how to send it", async () => {
    expect(served.token.length).toBeGreaterThanOrEqual(43);
    for (const authorization of ["", "Bearer", "Bearer wrong", `Basic ${served.token}`, `Bearer ${served.token}x`]) {
      const refused = await post(served, initialize(), { Authorization: authorization });
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="haft"']);
      expect((await rpc(refused)).error?.message).toContain("Authorization: Bearer TOKEN");
    }
    expect((await post(served, initialize())).status).toBe(200);
  });

  it.each([
    ["Host", "evil.example.com", 403],
    ["Host", "127.0.0.1.evil.example.com:80", 403],
    ["Host", "evil.example.com@localhost", 403],
    ["Host", "localhost/evil.example.com", 403],
    ["Origin", "http://evil.example.com", 403],
    ["Origin", "null", 403],
    ["Origin", "http://localhost:3000", 200],
    ["Host", "localhost:80", 200],
  ])("Q13 a request with %s %s ends with %i", async (name, value, status) => {
    // fetch lets nobody write Host.
    const headers = {
      Authorization: `Bearer ${served.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      [name]: value,
    };
    const got = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(served.url, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on("error", reject).end(JSON.stringify(initialize()));
    });
    expect(got).toBe(status);
  });

  it("Q13 refuses what is too large, is no JSON, is of another type or comes to another place", async () => {
    expect((await post(served, "x".repeat(4 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await rpc(await post(served, "{ no"))).error?.code).toBe(-32700);
    expect((await post(served, initialize(), { "Content-Type": "text/plain" })).status).toBe(415);
    const elsewhere = await fetch(served.url.replace("/mcp", "/"), {
      headers: { Authorization: `Bearer ${served.token}` },
    });
    expect(elsewhere.status).toBe(404);
  });

  it("Q13 a method that is none of the protocol's is refused with those that are, after everything that shuts out", async () => {
    await using plain = await servedHaft(["--stateless"], { place: served.place });
    const ask = async (to: ServedHaft, method: string, more: Record<string, string> = {}) => {
      const headers = { Authorization: `Bearer ${to.token}`, ...more };
      const answer = await fetch(to.url, { method, headers, ...(method === "PUT" ? { body: "{}" } : {}) });
      return [answer.status, answer.headers.get("allow")];
    };
    for (const method of ["PUT", "HEAD", "OPTIONS", "PATCH"]) {
      expect([method, ...(await ask(served, method))]).toEqual([method, 405, "GET, POST, DELETE"]);
      expect([method, ...(await ask(plain, method))]).toEqual([method, 405, "POST"]);
      expect(await ask(served, method, { "Mcp-Session-Id": "none" })).toEqual([405, "GET, POST, DELETE"]);
      expect(await ask(served, method, { Authorization: "" })).toEqual([401, null]);
      expect(await ask(served, method, { Origin: "http://evil.example" })).toEqual([403, null]);
    }
    for (const method of ["GET", "DELETE"]) {
      expect((await ask(served, method))[0]).toBe(400);
      expect(await ask(plain, method)).toEqual([405, "POST"]);
    }
  });

  it("Q13 tokens are read strictly, and every one leads to its own client", () => {
    const [ann, ben] = ["a".repeat(16), "b".repeat(16)];
    const tokens = createTokens(readTokens(`# people\nann ${ann}\n\nben   ${ben}\n`));
    expect([ann, ben, "c".repeat(16), ""].map((token) => tokens.clientOf(`Bearer ${token}`))).toEqual([
      "ann",
      "ben",
      undefined,
      undefined,
    ]);
    expect(readTokens(ann)).toEqual(new Map([["default", ann]]));
    for (const wrong of ["", "ann short", `ann ${ann} x`, `ann ${ann}\nann ${ben}`, `ann ${ann}\nben ${ann}`])
      expect(() => readTokens(wrong)).toThrow(/token/);
  });

  it("Q13 without a token is possible only on this machine, and options that mean nothing are refused", async () => {
    for (const [args, why] of [
      [["--http", "--no-token", "--host", "0.0.0.0"], "--no-token"],
      [["--http", "--no-token", "--token-file", "x"], "contradict"],
      [["--http", "--port", "70000"], "not a port"],
      [["--http", "--client", "ann"], "--token-file"],
      [["--port", "80"], "--http"],
    ] as const) {
      const { code, stderr } = await served.place.haft(["mcp", ...args]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
    }
  });
});

describe("sessions", () => {
  const open = async (token = served.token) => {
    const response = await post(served, initialize(), { Authorization: `Bearer ${token}` });
    await response.body?.cancel();
    return response.headers.get("mcp-session-id") ?? "";
  };
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  const within = (id: string) => ({ "Mcp-Session-Id": id, "MCP-Protocol-Version": "2025-11-25" });

  it("Q13 a session lives until it is deleted; afterwards, and made up, its id is unknown", async () => {
    const id = await open();
    expect(id).toMatch(/^[\x21-\x7e]{30,}$/);
    expect((await post(served, ping, within(id))).status).toBe(200);
    const headers = { Authorization: `Bearer ${served.token}`, ...within(id) };
    expect((await fetch(served.url, { method: "DELETE", headers })).status).toBe(200);
    expect((await post(served, ping, within(id))).status).toBe(404);
    expect((await post(served, ping, within(crypto.randomUUID()))).status).toBe(404);
    expect((await post(served, ping)).status).toBe(400);
  });

  it("Q13 sessions that wait for nothing end first when there are too many", async () => {
    const [used, idle] = [await open(), await open()];
    const headers = { Authorization: `Bearer ${served.token}`, Accept: "text/event-stream", ...within(used) };
    const stream = await fetch(served.url, { headers });
    for (let more = 0; more < 127; more += 1) await open();
    expect((await post(served, ping, within(idle))).status).toBe(404);
    expect((await post(served, ping, within(used))).status).toBe(200);
    await stream.body?.cancel();
  });

  it("Q13 one client's session is unknown to another", async () => {
    const file = served.place.write("tokens", `ann ${"a".repeat(20)}\nben ${"b".repeat(20)}\n`);
    await using other = await servedHaft(["--token-file", file], { place: served.place });
    expect(other.said()).toContain("chmod 600");
    const as = (token: string) => ({ ...other, token: token.repeat(20) });
    const response = await post(as("a"), initialize());
    await response.body?.cancel();
    const id = response.headers.get("mcp-session-id") ?? "";
    expect((await post(as("a"), ping, within(id))).status).toBe(200);
    expect((await post(as("b"), ping, within(id))).status).toBe(404);
  });

  it("Q13 both eras, and with --stateless the older without a session, read the same file", async () => {
    for (const era of ["legacy", "modern"] as const) {
      const client = await httpClient(served, { era });
      expect(textOf(await client.callTool({ name: "Read", arguments: { file_path: "a.txt" } }))).toContain("hello");
      await client.close();
    }
    await using plain = await servedHaft(["--stateless"], { place: served.place });
    const answer = await post(plain, initialize());
    expect([answer.status, answer.headers.get("mcp-session-id")]).toEqual([200, null]);
    await answer.body?.cancel();
    const client = await httpClient(plain);
    expect(textOf(await client.callTool({ name: "Read", arguments: { file_path: "a.txt" } }))).toContain("hello");
    await client.close();
  });

  it("Q13 many callers at once each get their own answer", async () => {
    const client = await httpClient(served);
    const names = Array.from({ length: 40 }, (_, at) => `n${at}.txt`);
    for (const name of names) served.place.write(name, `content of ${name}\n`);
    const read = (name: string) => client.callTool({ name: "Read", arguments: { file_path: name } });
    const answers = await Promise.all(names.map(read));
    expect(answers.map((answer, at) => textOf(answer).includes(`content of ${names[at]}`))).not.toContain(false);
    await client.close();
  });

  it.each(["null", "5", '"x"', "[]", "{}", "[null]"])("Q13 a body of %s is the client's mistake", async (body) => {
    const headers = {
      Authorization: `Bearer ${served.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const answer = await fetch(served.url, { method: "POST", headers, body });
    expect([answer.status, (await rpc(answer)).error?.code]).toEqual([400, expect.any(Number)]);
  });

  it("Q13 a request whose head and body disagree is refused", async () => {
    const { body, headers } = modernCall("Read", { file_path: "a.txt" });
    const refused = await post(served, body, { ...headers, "Mcp-Name": "Write" });
    expect([refused.status, (await rpc(refused)).error?.code]).toEqual([400, -32020]);
  });
});

it("Q13 a port that is taken is said, with the cure", async () => {
  const { port } = new URL(served.url);
  const { code, stderr } = await served.place.haft(["mcp", "--http", "--port", port]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--port")]);
  expect(stderr).toContain("EADDRINUSE");
});

it("Q13 ends politely when it is asked to, also with streams open, and has not failed", async () => {
  const own = await servedHaft();
  const client = await httpClient(own);
  await client.listTools();
  expect(await own.end()).toBe(0);
  await client.close().catch(() => {});
  own.place[Symbol.dispose]();
});
