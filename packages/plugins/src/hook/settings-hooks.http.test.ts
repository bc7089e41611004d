import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HooksSettings } from "@haft/core/policy";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { settingsHooks } from "../../test/support/hooks.ts";

interface Got {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
let base: string;
const got: Got[] = [];
const answers: Record<string, (response: ServerResponse) => void> = {
  "/deny": (response) => response.end('{"decision":"block","reason":"the server says no"}'),
  "/nothing": (response) => response.writeHead(204).end(),
  "/text": (response) => response.end("fine"),
  "/broken": (response) => response.end("{"),
  "/error": (response) => response.writeHead(500).end('{"decision":"block"}'),
  "/redirect": (response) => response.writeHead(302, { location: `${base}/allow` }).end(),
  "/allow": (response) => response.end('{"hookSpecificOutput":{"permissionDecision":"allow"}}'),
  "/flood": (response) => {
    response.on("error", () => {});
    for (let index = 0; index < 20; index++) response.write(Buffer.alloc(1024 * 1024, "x"));
    response.end();
  },
  "/endless": (response) => {
    const write = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(1024 * 1024, "x"), () => setImmediate(write));
    };
    response.on("error", () => {});
    write();
  },
  "/drip": (response) => {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  },
  "/as-html": (response) =>
    response.writeHead(200, { "content-type": "text/html" }).end('{"decision":"block","reason":"typed wrongly"}'),
  "/cut-off": (response) => {
    response.writeHead(200, { "content-length": 1000 }).write('{"decision":');
    setTimeout(() => response.destroy(), 20);
  },
  "/invalid-bytes": (response) => response.end(Buffer.from([0x7b, 0xff, 0x7d])),
  "/hang": () => {},
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = request.url ?? "";
    got.push({ path, headers: request.headers, body });
    answers[path]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function posted(path: string, more: object = {}, env?: Record<string, string>) {
  const url = path.startsWith("/") ? base + path : path;
  const settings: HooksSettings = { PreToolUse: [{ hooks: [{ type: "http", url, ...more }] }] };
  const hooks = settingsHooks(settings, env ? { env } : {});
  try {
    return { said: await hooks.before(), notices: hooks.notices };
  } finally {
    hooks.remove();
  }
}

describe("hooks over HTTP", () => {
  it("E24 the event is posted as JSON, and a JSON answer counts", async () => {
    const { said } = await posted("/deny");
    expect(said).toMatchObject({ decision: "deny", reason: "the server says no" });
    const { headers, body } = got.at(-1)!;
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toMatchObject({ hook_event_name: "PreToolUse", tool_name: "Read", tool_use_id: "c1" });
  });

  it("E24 an empty answer of the 200s says nothing", async () => {
    expect(await posted("/nothing")).toEqual({ said: {}, notices: [] });
  });

  it.each([
    ["/text", /not a JSON object/],
    ["/broken", /broken JSON/],
    ["/error", /answered 500/],
    ["/redirect", /302.*redirect to .*not followed/],
    ["/flood", /too much/],
    ["/endless", /too much/],
    ["/cut-off", /cannot be reached/],
    ["/invalid-bytes", /not UTF-8/],
    ["http://127.0.0.1:1/", /ECONNREFUSED|cannot be reached/],
  ])("E24 %s is no answer: the call asks, and it is said", async (path, why) => {
    got.length = 0;
    const { said, notices } = await posted(path);
    expect(said).toMatchObject({ decision: "ask", reason: expect.stringMatching(why) });
    expect(notices).toMatchObject([{ kind: "failure", text: expect.stringMatching(why) }]);
    expect(got.map((one) => one.path)).not.toContain("/allow");
  });

  it("E24 a JSON answer counts by its content, regardless of the type that its server names", async () => {
    expect((await posted("/as-html")).said).toMatchObject({ decision: "deny", reason: "typed wrongly" });
  });

  it.each(["/hang", "/drip"])(
    "E24 a server that does not come to an end is given up when the time is over: %s",
    async (path) => {
      const started = performance.now();
      const { said } = await posted(path, { timeout: 1 });
      expect(said).toMatchObject({ decision: "ask", reason: expect.stringContaining("within 1 s") });
      expect(performance.now() - started).toBeLessThan(patience(2000));
    },
  );

  it("E24 headers hold only allowed variables; the values of these are never shown", async () => {
    const headers = { "X-Allowed": "Bearer $TOKEN", "X-Braced": "${" + "TOKEN}!", "X-Other": "<$SECRET>" };
    const env = { TOKEN: "t0k", SECRET: "s3cret" };
    await posted("/nothing", { headers, allowedEnvVars: ["TOKEN"] }, env);
    expect(got.at(-1)?.headers).toMatchObject({ "x-allowed": "Bearer t0k", "x-braced": "t0k!", "x-other": "<>" });
    const smuggled = await posted(
      "/nothing",
      { headers: { X: "$TOKEN" }, allowedEnvVars: ["TOKEN"] },
      { TOKEN: "a\r\nY: b" },
    );
    expect(smuggled.said).toMatchObject({ decision: "ask" });
    expect(smuggled.notices[0]?.text).not.toContain("Y: b");
  });
});
