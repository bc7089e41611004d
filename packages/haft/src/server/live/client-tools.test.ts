import { afterEach, expect, it } from "vitest";
import {
  type Heard,
  OTHER_TOKEN,
  type TestServer,
  type TestSocket,
  testServer,
} from "../../../test/support/console-server.ts";
import { calls, finish, type ScriptedModel, says, scriptedModel } from "../../../test/support/scripted-model.ts";

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const pick = {
  name: "PickColor",
  description: "Lets the person pick a colour.",
  inputSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  outputSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
};
const call = (id = "c1") => calls(id, "PickColor", { title: "Background" });
const isCall = ({ type }: Heard) => type === "tool-call";
const ref = (name: string) => (message: Heard) => message.ref === name;
const isEnd = ({ event }: Heard) => (event as { type?: string } | undefined)?.type === "end";
const allowed = { session: { rules: { allow: ["call(client/*)"] } } };

async function register(socket: TestSocket, session: string, more: object = {}) {
  socket.send({ type: "tools", session, tools: [pick], ref: "reg", ...more });
  const answer = await socket.next(ref("reg"));
  expect(answer).toEqual({ type: "reply", ref: "reg", registered: expect.anything() });
  return answer.registered as { key: string; added: string[]; refused: object[] };
}

async function open(model: ScriptedModel, more: Parameters<typeof testServer>[1] = {}) {
  server = await testServer(model, { ...allowed, ...more });
  const { id } = await server.ask("POST", "/api/sessions", {});
  const socket = await server.connect();
  socket.send({ type: "watch", session: id, after: 0 });
  return { id: String(id), socket };
}

it("R05 R06 the client runs its tool, and the model reads the answer as that call's result", async () => {
  const model = scriptedModel([[call(), finish()], says("It is green.")]);
  const { id, socket } = await open(model);
  expect(await register(socket, id)).toMatchObject({ added: ["PickColor"], refused: [] });
  socket.send({ type: "prompt", session: id, text: "Ask for a colour." });
  const asked = await socket.next(isCall);
  expect(asked).toMatchObject({ callId: "c1", tool: "PickColor", input: { title: "Background" } });
  // Nothing but the answer ends the turn.
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("PickColor");
  socket.send({ type: "tool-result", session: id, callId: "c1", output: { shade: 1 }, ref: "bad" });
  expect((await socket.next(ref("bad"))).receipt).toMatchObject({ accepted: false, reason: "invalid" });
  socket.send({ type: "tool-result", session: id, callId: "c1", output: { color: "green" }, ref: "good" });
  expect((await socket.next(ref("good"))).receipt).toEqual({ accepted: true });
  await socket.next(isEnd);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("green");
});

it("R07 a duplicate, a foreign, a late and an unknown result change nothing", async () => {
  const model = scriptedModel([[call(), finish()], says("Done.")]);
  const { id, socket } = await open(model);
  await register(socket, id);
  const [ben, ann] = [await server.connect({ token: OTHER_TOKEN }), await server.connect()];
  socket.send({ type: "prompt", session: id, text: "Ask." });
  await socket.next(isCall);
  const give = async (by: TestSocket, callId: string, color: string) => {
    by.send({ type: "tool-result", session: id, callId, output: { color }, ref: color });
    return (await by.next(ref(color))).receipt as { accepted: boolean; reason?: string };
  };
  expect(await give(ben, "c1", "red")).toMatchObject({ accepted: false, reason: "not_yours" });
  expect(await give(ann, "c1", "blue")).toMatchObject({ accepted: false, reason: "not_yours" });
  expect(await give(socket, "c9", "grey")).toMatchObject({ accepted: false, reason: "unknown_call" });
  const both = await Promise.all([give(socket, "c1", "green"), give(socket, "c1", "black")]);
  expect(both.map(({ accepted }) => accepted)).toEqual([true, false]);
  await socket.next(isEnd);
  expect(await give(socket, "c1", "white")).toMatchObject({ accepted: false, reason: "already_answered" });
  const told = JSON.stringify(model.requests[1]?.messages);
  expect(["green", "red", "blue", "black", "white"].filter((color) => told.includes(color))).toEqual(["green"]);
});

it("R07 a client that reloads takes its open call over with its key; without the key nobody can", async () => {
  const model = scriptedModel([[call(), finish()], says("Done.")]);
  const { id, socket } = await open(model);
  const { key } = await register(socket, id);
  socket.send({ type: "prompt", session: id, text: "Ask." });
  await socket.next(isCall);
  await socket.close();
  const thief = await server.connect({ token: OTHER_TOKEN });
  thief.send({ type: "tools", session: id, tools: [pick], key, ref: "steal" });
  expect(await thief.next(ref("steal"))).toMatchObject({ type: "error" });
  const back = await server.connect();
  back.send({ type: "watch", session: id, after: 0 });
  await register(back, id, { key });
  expect(await back.next(isCall)).toMatchObject({ callId: "c1" });
  back.send({ type: "tool-result", session: id, callId: "c1", output: { color: "green" } });
  await back.next(isEnd);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("green");
});

it("R07 a client that never comes back fails its call once, and its tool is gone", async () => {
  const model = scriptedModel([[call(), finish()], says("Then not.")]);
  const { id, socket } = await open(model, { graceMs: 1 });
  await register(socket, id);
  const watcher = await server.connect();
  watcher.send({ type: "watch", session: id, after: 0 });
  socket.send({ type: "prompt", session: id, text: "Ask." });
  await socket.next(isCall);
  await socket.close();
  await watcher.next(isEnd);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("disconnected");
  expect(model.requests[1]?.tools.map(({ name }) => name)).not.toContain("PickColor");
});

it("R06 a call that is open when the server stops is parked, and its answer counts after the restart", async () => {
  const { id, socket } = await open(scriptedModel([[call(), finish()]]));
  const { key } = await register(socket, id);
  socket.send({ type: "prompt", session: id, text: "Ask." });
  await socket.next(isCall);
  // After the restart, the model is told, makes the same call again, and finds the answer.
  const model = scriptedModel([[call("c2"), finish()], says("It is green.")]);
  await server.restart(model);
  const back = await server.connect();
  back.send({ type: "watch", session: id });
  await register(back, id, { key });
  expect(await back.next(isCall)).toMatchObject({ callId: "c1", input: { title: "Background" } });
  back.send({ type: "tool-result", session: id, callId: "c1", output: { color: "green" }, ref: "late" });
  expect((await back.next(ref("late"))).receipt).toEqual({ accepted: true, parked: true });
  await back.next(isEnd);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("green");
  expect(back.heard.some(isCall)).toBe(false);
});

it("R05 a client cannot replace a tool that exists, and a broken schema is refused with a reason", async () => {
  const { id, socket } = await open(scriptedModel([]));
  const read = { ...pick, name: "Read" };
  const broken = { ...pick, name: "Broken", inputSchema: { type: "object", properties: { a: { type: "nothing" } } } };
  socket.send({ type: "tools", session: id, tools: [read, broken, pick], ref: "reg" });
  expect((await socket.next(ref("reg"))).registered).toMatchObject({
    added: ["PickColor"],
    refused: [{ tool: "Broken" }, { tool: "Read" }],
  });
});
