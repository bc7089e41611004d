import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { OTHER_TOKEN, type TestServer, TOKEN, testServer } from "../../test/support/console-server.ts";
import { calls, finish, says, scriptedModel } from "../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const writes = (name = "a.txt", content = "new\n") => calls("c1", "Write", { file_path: name, content });
const isAsked = ({ type }: { type: string }) => type === "asked";
const isEnd = ({ type, event }: { type: string; event?: unknown }) =>
  type === "event" && (event as { type: string }).type === "end";

it("E04 Q13 nobody gets in without the token, under a foreign name, or from another page", async () => {
  server = await testServer(scriptedModel([]));
  const status = async (path: string, headers: Record<string, string>, method = "GET") =>
    (await fetch(`${server.handle.url}${path}`, { method, headers })).status;
  expect(await status("/api/sessions", {})).toBe(401);
  expect(await status("/api/sessions", { Authorization: "Bearer wrong-wrong-wrong" })).toBe(401);
  expect(await status("/api/sessions", { Authorization: `Bearer ${TOKEN}` })).toBe(200);
  expect(await status("/api/sessions", { Authorization: `Bearer ${TOKEN}`, Origin: "http://evil.example" })).toBe(403);
  const login = await fetch(`${server.handle.url}/api/login`, {
    method: "POST",
    body: JSON.stringify({ token: TOKEN }),
    headers: { "Content-Type": "application/json" },
  });
  const cookie = login.headers.get("set-cookie")!;
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
  expect(cookie).not.toContain(TOKEN);
  const Cookie = cookie.split(";")[0]!;
  expect(await status("/api/sessions", { Cookie })).toBe(200);
  expect(await status("/api/sessions", { Cookie, "Sec-Fetch-Site": "same-site" })).toBe(401);
  // Another local server is the same site, but not the same origin.
  expect(await status("/api/sessions", { Cookie, Origin: "http://127.0.0.1:1" })).toBe(401);
  expect(await status("/api/logout", { Cookie }, "POST")).toBe(401);
  expect(await status("/api/logout", { Cookie, Origin: server.handle.url }, "POST")).toBe(200);
  expect(await status("/api/sessions", { Cookie })).toBe(401);
});

it("E04 every answer carries a policy that allows no script, frame or request from elsewhere", async () => {
  server = await testServer(scriptedModel([]));
  for (const path of ["/", "/api/about", "/api/none"]) {
    const { headers } = await server.fetch(path);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect([headers.get("x-content-type-options"), headers.get("x-frame-options")]).toEqual(["nosniff", "DENY"]);
  }
});

it("E04 a cross-site page opens no socket, with or without a cookie", async () => {
  server = await testServer(scriptedModel([]));
  const { cookie } = await login();
  const attempt = (headers: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`${server.handle.url.replace("http", "ws")}/api/socket`, { headers });
      socket.once("open", () => {
        socket.close();
        resolve(101);
      });
      socket.once("unexpected-response", (_, { statusCode }) => resolve(statusCode ?? 0));
      socket.once("error", () => {});
    });
  expect(await attempt({})).toBe(401);
  expect(await attempt({ Cookie: cookie })).toBe(401);
  expect(await attempt({ Cookie: cookie, Origin: "http://evil.example" })).toBe(403);
  expect(await attempt({ Cookie: cookie, Origin: "http://localhost:3000" })).toBe(401);
  expect(await attempt({ Cookie: cookie, Origin: server.handle.url })).toBe(101);
});

async function login() {
  const answer = await fetch(`${server.handle.url}/api/login`, {
    method: "POST",
    body: JSON.stringify({ token: TOKEN }),
  });
  return { cookie: answer.headers.get("set-cookie")!.split(";")[0]! };
}

it("E04 one call over HTTP passes the same pipeline: success, refusal and the stored result", async () => {
  server = await testServer(scriptedModel([]), {
    session: { rules: { deny: ["write(secret/**)"], allow: ["write(*.txt)"] } },
  });
  const { id } = await server.ask("POST", "/api/sessions", {});
  const call = (toolId: string, args: object, messageId?: string) =>
    server.ask("POST", `/api/sessions/${id}/calls`, { toolId, arguments: args, ...(messageId ? { messageId } : {}) });
  expect(await call("Write", { file_path: "a.txt", content: "one" }, "m1")).toMatchObject({ success: true });
  expect(await call("Write", { file_path: "a.txt", content: "one" }, "m1")).toMatchObject({ success: true });
  expect(await call("Write", { file_path: "secret/x", content: "no" })).toMatchObject({
    success: false,
    error: { code: "denied_by_rule" },
  });
  expect(await call("Nothing", {})).toMatchObject({ success: false, error: { code: "unknown_tool" } });
  expect(readFileSync(join(server.cwd, "a.txt"), "utf8")).toBe("one");
});

it("U18 two clients see the same events; the first answer counts, and both learn who gave it", async () => {
  server = await testServer(scriptedModel([[writes(), finish()], says("Written.")]));
  const [ann, ben] = [await server.connect(), await server.connect({ token: OTHER_TOKEN })];
  const { id } = await server.ask("POST", "/api/sessions", {});
  for (const one of [ann, ben]) one.send({ type: "watch", session: id, after: 0 });
  ann.send({ type: "prompt", session: id, text: "Write it." });
  const [question] = await Promise.all([ann.next(isAsked), ben.next(isAsked)]);
  const item = question.item as { request: { id: string; show: object }; digest: string };
  expect(item.request.show).toMatchObject({ kind: "diff" });
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(false);
  const answer = (by: typeof ann, ref: string) =>
    by.send({ type: "answer", id: item.request.id, digest: item.digest, answer: { behavior: "allow" }, ref });
  answer(ben, "b");
  const first = await ben.next(({ ref }) => ref === "b");
  answer(ann, "a");
  const second = await ann.next(({ ref }) => ref === "a");
  expect([first.receipt, second.receipt]).toEqual([
    { accepted: true },
    expect.objectContaining({ accepted: false, reason: "already_settled" }),
  ]);
  for (const one of [ann, ben]) expect(await one.next(({ type }) => type === "settled")).toMatchObject({ by: "ben" });
  await Promise.all([ann.next(isEnd), ben.next(isEnd)]);
  const seen = ({ heard }: typeof ann) => heard.filter(({ type }) => type === "event").map(({ seq }) => seq);
  expect(seen(ann)).toEqual(seen(ben));
  expect(readFileSync(join(server.cwd, "a.txt"), "utf8")).toBe("new\n");
});

it("U18 an answer to a question that has changed since it was shown is refused", async () => {
  server = await testServer(scriptedModel([[writes(), finish()], says("Done.")]));
  const { id } = await server.ask("POST", "/api/sessions", { prompt: "Write it." });
  const socket = await server.connect();
  socket.send({ type: "watch", session: id, after: 0 });
  const { approvals } = await waitFor(
    () => server.ask("GET", "/api/approvals"),
    ({ approvals }) => (approvals as unknown[]).length === 1,
  );
  const request = (approvals as { request: { id: string } }[])[0]!.request.id;
  const stale = await server.ask("POST", `/api/approvals/${request}/answer`, {
    ...{ answer: { behavior: "allow" }, digest: "of another question" },
  });
  expect(stale).toMatchObject({ error: { code: "conflict" } });
  const wrong = await server.ask("POST", `/api/approvals/${request}/answer`, { answer: { behavior: "perhaps" } });
  expect(wrong).toMatchObject({ error: { code: "invalid" } });
  const no = await server.ask("POST", `/api/approvals/${request}/answer`, { answer: { behavior: "deny" } });
  expect(no).toMatchObject({ accepted: true });
  const late = await server.ask("POST", `/api/approvals/${request}/answer`, { answer: { behavior: "allow" } });
  expect(late).toMatchObject({ error: { code: "already_settled" } });
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(false);
});

it("U18 a client that lost its connection continues after the last event it has, and loses no question", async () => {
  server = await testServer(scriptedModel([[writes(), finish()], says("Done.")]));
  const { id } = await server.ask("POST", "/api/sessions", {});
  const lost = await server.connect();
  lost.send({ type: "watch", session: id, after: 0 });
  lost.send({ type: "prompt", session: id, text: "Write it." });
  const asked = await lost.next(({ event }) => (event as { type?: string })?.type === "tool:permission:request");
  await lost.close();
  const back = await server.connect();
  back.send({ type: "watch", session: id, after: asked.seq });
  const { view, seq } = await server.ask("GET", `/api/sessions/${id}/view`);
  const { approvals } = view as { approvals: { id: string }[] };
  expect(seq).toBeGreaterThanOrEqual(Number(asked.seq));
  back.send({ type: "answer", id: approvals[0]!.id, answer: { behavior: "allow" } });
  await back.next(isEnd);
  expect(existsSync(join(server.cwd, "a.txt"))).toBe(true);
});

it("E21 a client that asks for events that are no longer kept is told to load again", async () => {
  server = await testServer(scriptedModel([]));
  const { id } = await server.ask("POST", "/api/sessions", {});
  const socket = await server.connect();
  socket.send({ type: "watch", session: id, after: 99 });
  expect(await socket.next(({ type }) => type === "gap")).toMatchObject({ session: id });
  socket.send({ type: "nonsense" });
  expect(await socket.next(({ type }) => type === "error")).toBeDefined();
  socket.socket.send("{");
  expect(await socket.next(({ type }) => type === "error")).toMatchObject({
    error: { message: expect.stringContaining("JSON") },
  });
});

it("E04 the OpenAPI document has every operation, and each operation refuses a wrong body with a reason", async () => {
  server = await testServer(scriptedModel([]));
  const document = await server.ask("GET", "/api/openapi.json");
  const paths = document.paths as Record<string, Record<string, { requestBody?: object }>>;
  expect(Object.keys(paths).length).toBeGreaterThan(25);
  expect(Object.keys(paths)).toContain("/api/approvals/{request}/answer");
  const wrong = await server.ask("POST", "/api/policy/explain", { input: {} });
  expect(wrong).toMatchObject({ error: { code: "invalid_input", message: expect.stringContaining("tool") } });
});

async function waitFor<T>(look: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await look();
    if (fits(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
