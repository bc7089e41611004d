import { defineTool } from "@haft/core/tool";
import { expect, it, vi } from "vitest";
import { memoryPorts } from "../../../core/test/support/memory.ts";
import { Get } from "../../../core/test/support/tools.ts";
import { agentSetup } from "../../test/support/agent.ts";
import { calls, finish, says, scriptedModel } from "../../test/support/scripted-model.ts";
import { type AgentEvent, runAgent } from "./loop.ts";
import { type Message, userMessage } from "./message.ts";
import { repaired } from "./repair.ts";

const go = [userMessage("Go.")];
const rolesOf = (messages: readonly Message[]) => messages.map(({ role }) => role);

it("E25 model, calls, results, model, until no calls are left", async () => {
  const { disk, executor, offer } = agentSetup();
  const model = scriptedModel([
    [calls("c1", "Put", { path: "b", text: "1" }), calls("c2", "Append", { path: "b", text: "2" }), finish()],
    [calls("c3", "Get", { path: "b" }), finish()],
    says("It says 12."),
  ]);
  const end = await runAgent({ model, executor, offer, messages: go });
  expect(end).toMatchObject({ reason: "answered", text: "It says 12.", turns: 3 });
  expect(disk.get("/w/b")).toBe("12");
  expect(rolesOf(end.messages)).toEqual(["user", "assistant", "results", "assistant", "results", "assistant"]);
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain('"text":"12"');
});

it("D11 the offered tools' text for the system prompt is in it, behind the host's own", async () => {
  const Told = defineTool({ ...Get, name: "Told", prompt: () => "Told reads what was told." });
  const { executor, offer } = agentSetup([Told]);
  const model = scriptedModel([says("Hi.")]);
  await runAgent({ model, executor, offer, messages: go, system: "You are a test." });
  const { system } = model.requests[0]!;
  expect(system.startsWith("You are a test.\n\n")).toBe(true);
  expect(system).toContain("make them all in one turn");
  expect(system).toContain("Told reads what was told.");
});

it("D06 the offer is assembled before every request", async () => {
  const { executor, offer, registry } = agentSetup();
  const model = scriptedModel([
    [calls("c1", "Count", {}), async () => registry.remove("Put"), finish()],
    says("Done."),
  ]);
  await runAgent({ model, executor, offer, messages: go });
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["Get", "Put", "Append", "Count"],
    ["Get", "Append", "Count"],
  ]);
});

it("E25 the turn limit stops behind the results, so nothing dangles", async () => {
  const { executor, offer } = agentSetup();
  const model = scriptedModel(Array.from({ length: 9 }, (_, index) => [calls(`c${index}`, "Count", {}), finish()]));
  const end = await runAgent({ model, executor, offer, messages: go, maxTurns: 2 });
  expect(end).toMatchObject({ reason: "max_turns", turns: 2 });
  expect(rolesOf(end.messages)).toEqual(["user", "assistant", "results", "assistant", "results"]);
});

it("E25 steering goes in between turns, behind the results, and keeps an answered run going", async () => {
  const { executor, offer } = agentSetup();
  const said = [[userMessage("Also look at a.ts.")], [], [userMessage("And now stop.")], []];
  const model = scriptedModel([
    [calls("c1", "Count", {}), finish()],
    [calls("c2", "Count", {}), finish()],
    says("Well."),
    says("Bye."),
  ]);
  const end = await runAgent({ model, executor, offer, messages: go, steer: () => said.shift() ?? [] });
  expect(rolesOf(end.messages)).toEqual([
    ...["user", "assistant", "results", "user", "assistant", "results", "assistant", "user", "assistant"],
  ]);
  expect(end).toMatchObject({ reason: "answered", text: "Bye." });
});

it("E25 a host's reason to stop ends the run behind the results", async () => {
  const { executor, offer } = agentSetup();
  const model = scriptedModel([[calls("c1", "Gett", {}), finish()], says("Never asked.")]);
  const end = await runAgent({
    model,
    executor,
    offer,
    messages: go,
    stopAfter: (outcomes) => (outcomes.some(({ status }) => status === "error") ? "a call failed" : undefined),
  });
  expect(end).toMatchObject({ reason: "stopped", why: "a call failed", turns: 1 });
  expect(repaired(end.messages)).toBe(end.messages);
});

it("E25 an interrupt in the middle of a message leaves each complete call with a result", async () => {
  const abort = new AbortController();
  const { executor, offer, disk } = agentSetup();
  const model = scriptedModel([
    [
      calls("c1", "Put", { path: "b", text: "x" }),
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        abort.abort();
      },
      { type: "error", error: new Error("aborted") },
    ],
  ]);
  const end = await runAgent({ model, executor, offer, messages: go, signal: abort.signal });
  expect(end.reason).toBe("cancelled");
  expect(disk.get("/w/b")).toBe("x");
  expect(end.messages.at(-1)).toMatchObject({ role: "results", results: [{ callId: "c1", status: "ok" }] });
});

it("E14 a message that breaks off: half a call never runs, a finished call keeps its result, the run goes on", async () => {
  const { executor, offer, disk, started } = agentSetup();
  const model = scriptedModel([
    [
      { type: "delta", key: "t", of: "text", text: "Writing two fi" },
      calls("c1", "Put", { path: "b", text: "x" }),
      async () => new Promise((resolve) => setTimeout(resolve, 20)),
      { type: "part", key: "call:c2", part: { type: "tool-call", id: "c2", tool: "Put", input: {}, cut: "broken" } },
      { type: "error", error: new Error("connection reset") },
    ],
    says("Done."),
  ]);
  const end = await runAgent({ model, executor, offer, messages: go });
  expect(end.reason).toBe("answered");
  expect(started()).toEqual(["c1"]);
  expect(disk.get("/w/b")).toBe("x");
  expect(end.messages[1]).toMatchObject({ parts: [{ text: "Writing two fi" }, { id: "c1" }, { id: "c2" }] });
  expect(end.messages[2]).toMatchObject({
    results: [
      { callId: "c1", status: "ok" },
      { callId: "c2", status: "error" },
    ],
  });
});

it("E14 a message that breaks off: a complete call that still waits for another is not started any more", async () => {
  const disk = new Map<string, string>();
  const held = Promise.withResolvers<void>();
  const { executor, offer, started } = agentSetup(undefined, {
    ports: memoryPorts(disk, { hold: () => held.promise }),
  });
  const model = scriptedModel([
    [
      calls("c1", "Put", { path: "b", text: "first" }),
      calls("c2", "Put", { path: "b", text: "second" }),
      () => vi.waitFor(() => expect(started()).toEqual(["c1"])),
      async () => void setImmediate(held.resolve),
      { type: "error", error: new Error("connection reset") },
    ],
    says("Done."),
  ]);
  const end = await runAgent({ model, executor, offer, messages: go });
  expect(started()).toEqual(["c1"]);
  expect(disk.get("/w/b")).toBe("first");
  expect(end.messages[2]).toMatchObject({ results: [{ status: "ok" }, { callId: "c2", status: "cancelled" }] });
});

it("E14 a message that breaks off before any call is asked for again, and not for ever", async () => {
  const { executor, offer } = agentSetup();
  const broken = [
    { type: "delta", key: "t", of: "text", text: "Wri" },
    { type: "error", error: new Error("reset") },
  ] as const;
  const again = scriptedModel([broken, says("Done.")]);
  expect(await runAgent({ model: again, executor, offer, messages: go })).toMatchObject({
    reason: "answered",
    turns: 2,
  });
  expect(again.requests[1]?.messages).toEqual(again.requests[0]?.messages);

  const dead = scriptedModel([broken, broken, broken, says("Too late.")]);
  const end = await runAgent({ model: dead, executor, offer, messages: go });
  expect(end).toMatchObject({ reason: "error", turns: 3, messages: go });

  const refused = scriptedModel([[{ type: "error", error: Object.assign(new Error("bad key"), { statusCode: 401 }) }]]);
  expect(await runAgent({ model: refused, executor, offer, messages: go })).toMatchObject({
    reason: "error",
    turns: 1,
  });
});

it("E15 the conversation is plain JSON: a session killed in a turn is repaired and goes on after a restart", async () => {
  const first = agentSetup();
  const written: Message[] = [...go];
  const model = scriptedModel([[calls("c1", "Put", { path: "b", text: "1" }), finish()], says("Written.")]);
  const onEvent = (event: AgentEvent) => {
    if (event.type === "message") written.push(JSON.parse(JSON.stringify(event.message)));
  };
  const end = await runAgent({ model, executor: first.executor, offer: first.offer, messages: go, onEvent });
  expect(written).toEqual(end.messages);

  const killed = [...written.slice(0, 2), userMessage("Are you there?")];
  const second = agentSetup();
  const next = scriptedModel([says("Yes.")]);
  const resumed = await runAgent({ model: next, executor: second.executor, offer: second.offer, messages: killed });
  expect(rolesOf(resumed.messages)).toEqual(["user", "assistant", "results", "user", "assistant"]);
  expect(JSON.stringify(next.requests[0]?.messages[2])).toContain("may have run in part");
});

it("E14 servers that send no ids, or the same ones in every message, still get one result a call", async () => {
  const { executor, offer, disk } = agentSetup();
  const append = (text: string) => calls("", "Append", { path: "a.ts", text });
  const keyed = (key: string, text: string) => ({ ...append(text), key });
  const model = scriptedModel([
    [keyed("1", "b"), keyed("2", "c"), finish()],
    [keyed("1", "d"), finish()],
    says("Done."),
  ]);
  const end = await runAgent({ model, executor, offer, messages: go });
  expect(disk.get("/w/a.ts")).toBe("abcd");
  const ids = end.messages
    .flatMap((message) => (message.role === "results" ? message.results : []))
    .map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(3);
  expect(repaired(end.messages)).toBe(end.messages);
});

it("E25 a listener that throws changes nothing, and a host function that throws ends the run whole", async () => {
  const { executor, offer } = agentSetup();
  const turns = [[calls("c1", "Count", {}), finish()], says("Done.")];
  const fail = (): never => {
    throw new Error("broken host");
  };
  const heard = await runAgent({ model: scriptedModel(turns), executor, offer, messages: go, onEvent: fail });
  expect(heard).toMatchObject({ reason: "answered", turns: 2 });
  const ended = await runAgent({ model: scriptedModel(turns), executor, offer, messages: go, steer: fail });
  expect(ended).toMatchObject({ reason: "error", error: { message: "broken host" }, turns: 1 });
  expect(rolesOf(ended.messages)).toEqual(["user", "assistant", "results"]);
});
