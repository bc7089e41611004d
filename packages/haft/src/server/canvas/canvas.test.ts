import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { type Heard, type TestServer, type TestSocket, testServer } from "../../../test/support/console-server.ts";
import { scriptedModel } from "../../../test/support/scripted-model.ts";
import { policyOf } from "./frame.ts";
import { MessageBudget } from "./message-budget.ts";

let server: TestServer;
const opened: TestServer[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

const APP = fileURLToPath(new URL("../../../test/support/app-server.mjs", import.meta.url));
const of = (type: string) => (message: Heard) => message.type === type;
const ref = (name: string) => (message: Heard) => message.ref === name;
let count = 0;

async function open(settings: object = {}) {
  server = await testServer(scriptedModel([]), { session: { settings: settings as never } });
  opened.push(server);
  const id = String((await server.ask("POST", "/api/sessions", {})).id);
  const run = (toolId: string, input: object) =>
    server.ask("POST", `/api/sessions/${id}/calls`, { toolId, arguments: input, messageId: `c${++count}` });
  return { id, run, canvas: (input: object) => run("canvas", input) };
}

/** A console without a page: it answers every question of the server. */
async function screen(session: string): Promise<TestSocket> {
  const socket = await server.connect();
  socket.send({ type: "canvas", session, isShown: true });
  await socket.next(of("canvas"));
  return socket;
}
async function answer(socket: TestSocket, session: string, said: object) {
  const { question } = await socket.next(of("canvas-question"));
  const { id, method } = question as { id: string; method: string };
  socket.send({ type: "canvas-answer", session, id, answer: said });
  return method;
}

it("M04 without a console a call fails and names the link; the content is there when one opens", async () => {
  const { id, canvas } = await open();
  const { error } = await canvas({ action: "present", title: "Plan", markdown: "# Plan" });
  expect(error).toMatchObject({
    code: "tool_unavailable",
    hint: expect.stringContaining(`${server.handle.url}/#/s/${id}/canvas`),
  });
  const socket = await server.connect();
  socket.send({ type: "canvas", session: id, isShown: true });
  expect((await socket.next(of("canvas"))).state).toMatchObject({
    title: "Plan",
    page: { text: "# Plan" },
    isHidden: false,
  });
  const read = canvas({ action: "snapshot" });
  expect(await answer(socket, id, { text: "# Plan", notes: [] })).toBe("snapshot");
  expect(await read).toMatchObject({
    success: true,
    result: { output: { text: "# Plan" }, labels: { integrity: "stranger" } },
  });
  const recorded = await server.ask("GET", `/api/sessions/${id}/calls/c${count}`, undefined);
  expect(recorded).toMatchObject({ result: { labels: { integrity: "stranger", sources: ["canvas"] } } });
  // A console that closes in the middle of a question fails the call at once.
  const late = canvas({ action: "snapshot" });
  await socket.next(of("canvas-question"));
  await socket.close();
  expect((await late).error).toMatchObject({
    code: "tool_unavailable",
    message: expect.stringContaining("console that showed"),
  });
});

it("M04 a closed panel fails a question at once, in its middle too, until another page or console shows it", async () => {
  const { id, canvas } = await open();
  const socket = await screen(id);
  const shown = canvas({ action: "present", markdown: "# Plan" });
  await answer(socket, id, {});
  await shown;
  const { state } = await socket.next(
    (message) => isState(message) && (message.state as { version: number }).version > 0,
  );
  const { version } = state as { version: number };
  const late = canvas({ action: "snapshot" });
  await socket.next(of("canvas-question"));
  socket.send({ type: "canvas-closed", session: id, version });
  const closed = {
    code: "tool_unavailable",
    message: "The user has closed the canvas.",
    hint: expect.stringContaining("present"),
  };
  expect((await late).error).toMatchObject(closed);
  expect((await canvas({ action: "eval", script: "1" })).error).toMatchObject(closed);
  // A panel of an earlier page that is closed late changes nothing.
  const again = canvas({ action: "present", markdown: "# Again" });
  socket.send({ type: "canvas-closed", session: id, version });
  expect(await answer(socket, id, {})).toBe("ready");
  expect(await again).toMatchObject({ success: true });
  // Another console still shows what one has closed.
  const other = await screen(id);
  other.send({ type: "canvas-closed", session: id, version: version + 1 });
  other.send({ type: "ping", ref: "told" });
  await other.next(ref("told"));
  const read = canvas({ action: "snapshot" });
  expect(await answer(socket, id, { text: "# Again" })).toBe("snapshot");
  expect(await read).toMatchObject({ success: true });
});

it("M04 a hidden canvas is not asked", async () => {
  const { id, canvas } = await open();
  const socket = await screen(id);
  const shown = canvas({ action: "present", title: "Plan", markdown: "# Plan" });
  await answer(socket, id, { text: "# Plan", notes: [] });
  await shown;
  await canvas({ action: "hide" });
  for (const action of [{ action: "snapshot" }, { action: "eval", script: "1" }])
    expect((await canvas(action)).error).toMatchObject({ code: "tool_unavailable", message: "The canvas is hidden." });
});

it("M04 bad input names the cure, and nothing is shown", async () => {
  const { canvas } = await open();
  const message = async (input: object) => JSON.stringify((await canvas(input)).error);
  expect(await message({ action: "present" })).toContain("exactly one of html, markdown, path");
  expect(await message({ action: "navigate", url: "file:///etc/passwd" })).toContain("not a web address");
  expect(await message({ action: "navigate", url: "https://example.com/", server: "x" })).toContain("ui:// resource");
  expect(await message({ action: "push", jsonl: '{"surfaceUpdate":{}}\n{' })).toContain("Line 2 is not JSON");
  expect(await message({ action: "push", jsonl: '{"other":1}' })).toContain("Line 1 is not an A2UI message");
  expect(await message({ action: "snapshot" })).toContain("The canvas is empty");
});

it("M04 the page of an MCP server calls its own server only, and is asked where the model is", async () => {
  const { id, canvas } = await open({ mcpServers: { sales: { command: process.execPath, args: [APP] } } });
  const socket = await screen(id);
  const allow = async () => {
    const { item } = await socket.next(of("asked"));
    const { digest, request } = item as { digest: string; request: { id: string; title: string } };
    socket.send({ type: "answer", id: request.id, digest, answer: { behavior: "allow" } });
    return request.title;
  };
  const shown = canvas({ action: "navigate", url: "ui://sales", server: "sales" });
  await allow();
  expect(await answer(socket, id, { title: "Sales app" })).toBe("ready");
  expect(await shown).toMatchObject({ success: true });
  const { state } = await socket.next(
    ({ type, state: now }) => type === "canvas" && (now as { version: number }).version > 0,
  );
  const { version, domains } = state as { version: number; domains: object };
  expect(domains).toEqual({ connectDomains: ["https://api.example.com"] });
  const request = (name: string, method: string, params: object, of = version) =>
    socket.send({ type: "canvas-request", session: id, version: of, method, params, ref: name });
  request("own", "tools/call", { name: "add", arguments: { a: 2, b: 3 } });
  expect(await allow()).toContain("add");
  expect((await socket.next(ref("own"))).result).toMatchObject({
    content: [{ text: expect.stringContaining("sum 5") }],
  });
  request("other", "tools/call", { name: "Read", arguments: { file_path: "a" } });
  expect((await socket.next(ref("other"))).error).toMatchObject({
    message: expect.stringContaining("can only call its own server"),
  });
  request("old", "tools/call", { name: "add" }, version - 1);
  expect((await socket.next(ref("old"))).error).toMatchObject({ message: "This page is no longer shown." });
});

const isState = ({ type, state }: Heard) => type === "canvas" && (state as { version: number }).version > 0;

it("M04 a call of a tool with a page opens the page, which is told the input and the result", async () => {
  const { id, run } = await open({
    mcpServers: { sales: { command: process.execPath, args: [APP] } },
    permissions: { allow: ["mcp__sales"] },
  });
  const socket = await screen(id);
  expect(await run("mcp__sales__chart", { a: 7 })).toMatchObject({ success: true });
  const { state } = await socket.next(isState);
  expect(state).toMatchObject({
    page: { kind: "app", server: "sales", uri: "ui://chart" },
    call: { tool: { name: "chart" }, input: { a: 7 } },
  });
  // The page was read while the call ran: its end came with it, or comes now.
  const { call = {} } = state as { call?: { result?: object } };
  const end = call.result ? call : (await socket.next(of("canvas-call"))).call;
  expect(end).toMatchObject({ result: { structuredContent: { total: 7 } } });
  expect(JSON.stringify(end)).toContain("chart of 7");
  const { version } = state as { version: number };
  const ask = async (method: string, params: object = {}) => {
    socket.send({ type: "canvas-request", session: id, version, method, params, ref: `r${++count}` });
    return socket.next(ref(`r${count}`));
  };
  expect((await ask("ui/initialize")).result).toMatchObject({ hostContext: { toolInfo: { tool: { name: "chart" } } } });
  // A tool for pages only is no tool of the model, and the other way round.
  expect((await run("mcp__sales__refresh", { a: 1 })).error).toMatchObject({ code: "tool_unavailable" });
  expect((await ask("tools/call", { name: "refresh", arguments: { a: 1 } })).result).toMatchObject({
    content: [{ text: "refresh of 1" }],
  });
  expect((await ask("tools/call", { name: "count", arguments: { a: 1 } })).error).toMatchObject({
    message: expect.stringContaining("for the model"),
  });
});

it("M04 a page that cannot be read is named in its place, and a deny rule keeps a page closed", async () => {
  const mcpServers = { sales: { command: process.execPath, args: [APP] } };
  const { id, run } = await open({ mcpServers, permissions: { allow: ["mcp__sales"] } });
  const socket = await screen(id);
  expect(await run("mcp__sales__lost", { a: 1 })).toMatchObject({ success: true });
  expect((await socket.next(isState)).state).toMatchObject({ fault: expect.stringContaining("ui://gone") });

  const closed = await open({ mcpServers, permissions: { allow: ["mcp__sales"], deny: ["ReadMcpResource"] } });
  const other = await screen(closed.id);
  expect(await closed.run("mcp__sales__chart", { a: 7 })).toMatchObject({ success: true });
  const shown = closed.canvas({ action: "present", markdown: "after" });
  expect(await answer(other, closed.id, {})).toBe("ready");
  expect(await shown).toMatchObject({ success: true });
  expect((await other.next(isState)).state).toMatchObject({ page: { text: "after" } });
});

it("M04 the frame has an origin of its own, and a policy into which no server can write", async () => {
  await open();
  const domains = encodeURIComponent(
    JSON.stringify({ connectDomains: ["https://api.example.com", "*; script-src *"] }),
  );
  const { headers } = await fetch(`${server.handle.url}/canvas/frame?domains=${domains}`);
  const policy = headers.get("content-security-policy")!;
  expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src 'none'; /);
  expect(policy).toContain("connect-src https://api.example.com;");
  expect(policy).not.toContain("*");
  expect(
    policyOf({ resourceDomains: ["https://a.example 'unsafe-hashes'", "data:", "https://*.b.example"] }),
  ).toContain("img-src data: blob: https://*.b.example;");
});

it("M04 a page may send a burst of messages, then a few each second", () => {
  const budget = new MessageBudget();
  const taken = (now: number, wanted: number) => Array.from({ length: wanted }, () => budget.take(now)).filter(Boolean);
  expect(taken(0, 500)).toHaveLength(120);
  expect(taken(1_000, 500)).toHaveLength(30);
});
