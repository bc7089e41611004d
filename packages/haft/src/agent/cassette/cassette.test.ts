import { createBroker } from "@haft/core/approval";
import type { CallEvent, Machine } from "@haft/core/executor";
import { expect, it } from "vitest";
import { verdict } from "../../../../core/test/support/machine.ts";
import { memoryPorts } from "../../../../core/test/support/memory.ts";
import { Get, Put } from "../../../../core/test/support/tools.ts";
import { agentSetup } from "../../../test/support/agent.ts";
import { calls, finish, says, scriptedModel } from "../../../test/support/scripted-model.ts";
import { runAgent } from "../loop.ts";
import { userMessage } from "../message.ts";
import { type Cassette, formatCassette, parseCassette, withFolder, withoutFolder } from "./cassette.ts";
import { recordCassette } from "./record.ts";
import { drift, replayAsker, replayModel, replaySteering } from "./replay.ts";

/** A setup in which Put asks. */
function asking(ask: Parameters<typeof createBroker>[0]["askers"], onCall?: (event: CallEvent) => void) {
  let next = 0;
  const approvals = createBroker({
    ...(ask ? { askers: ask } : {}),
    clock: memoryPorts().clock,
    newId: () => `r${++next}`,
  });
  const policy: Machine["policy"] = () => ({
    mode: "default",
    generation: 1,
    decide: (situation) => verdict(situation.tool.name === "Put" ? "ask" : "allow", situation),
  });
  const disk = new Map([["/w/a.ts", "a"]]);
  const changes = { approvals, policy, ports: memoryPorts(disk), ...(onCall ? { listener: onCall } : {}) };
  return { ...agentSetup([Get, Put], changes), disk };
}

async function recorded(): Promise<Cassette> {
  const opening = [userMessage("Write in /w/out please.")];
  const script = scriptedModel([
    [
      { type: "delta", key: "t", of: "text", text: "Wri" },
      { type: "delta", key: "t", of: "text", text: "ting." },
      { type: "part", key: "t", part: { type: "text", text: "Writing." } },
      calls("c1", "Put", { path: "b", text: "see /w/a.ts and /w2/x" }),
      calls("c2", "Put", { path: "c", text: "never" }),
      calls("c3", "Get", { path: "missing" }),
      finish(),
    ],
    says("Done."),
  ]);
  const recorder = recordCassette({ model: script, cwd: "/w" });
  const person = {
    name: "user",
    ask: async ({ callId }: { callId: string }) =>
      callId === "c1"
        ? ({ behavior: "allow", message: "fine" } as const)
        : ({ behavior: "deny", message: "not this one" } as const),
  };
  const setup = asking([person], recorder.onCallEvent);
  const said = [[userMessage("Go on.")], []];
  const steer = () => said.shift() ?? [];
  const end = await runAgent({
    ...setup,
    model: recorder.model,
    messages: opening,
    steer,
    onEvent: recorder.onAgentEvent,
  });
  expect(end.reason).toBe("answered");
  return recorder.cassette();
}

const replay = (cassette: Cassette, setup: ReturnType<typeof asking>, cwd = "/w") =>
  runAgent({
    ...setup,
    model: replayModel(cassette, { cwd }),
    messages: withFolder(cassette.opening, cwd),
    steer: replaySteering(cassette, { cwd }),
  });

it("a recorded session replays without model and person, with the same results in the same order", async () => {
  const cassette = parseCassette(formatCassette(await recorded()));
  const setup = asking([{ name: "cassette", ask: replayAsker(cassette, { cwd: "/w" }) }]);
  const end = await replay(cassette, setup);
  expect(end).toMatchObject({ reason: "answered", text: "Done.", turns: 2 });
  expect(setup.disk.get("/w/b")).toBe("see /w/a.ts and /w2/x");
  expect(setup.disk.has("/w/c")).toBe(false);
  expect(drift(cassette, end.messages, { cwd: "/w" })).toEqual([]);
  expect(end.messages.map(({ role }) => role)).toEqual(["user", "assistant", "results", "user", "assistant"]);
});

it("a cassette holds whole parts in order, answers and statuses, and no absolute path of the session", async () => {
  const cassette = await recorded();
  const [first] = cassette.turns;
  expect(first?.events.map((event) => (event.type === "part" ? event.part.type : event.type))).toEqual([
    ...["text", "tool-call", "tool-call", "tool-call", "finish"],
  ]);
  expect(first?.results.map(({ callId, status }) => [callId, status])).toEqual([
    ["c1", "ok"],
    ["c2", "denied"],
    ["c3", "error"],
  ]);
  expect(cassette.approvals).toEqual([
    { callId: "c1", tool: "Put", answer: { behavior: "allow", message: "fine" } },
    { callId: "c2", tool: "Put", answer: { behavior: "deny", message: "not this one" } },
  ]);
  const file = formatCassette(cassette);
  expect(file).not.toMatch(/\/w\/|"\/w"/);
  expect(file).toContain("{{cwd}}/a.ts and /w2/x");
  expect(JSON.stringify(withFolder(cassette, "/elsewhere").opening)).toContain("/elsewhere/out");
});

it("a recorded answer is given once, and only to the same call of the same tool", async () => {
  const ask = replayAsker(await recorded(), { cwd: "/w" });
  const request = (callId: string, tool: string) => ({ callId, tool }) as Parameters<typeof ask>[0];
  const { signal } = new AbortController();
  expect(await ask(request("c1", "Get"), signal)).toBeUndefined();
  expect(await ask(request("c9", "Put"), signal)).toBeUndefined();
  expect(await ask(request("c1", "Put"), signal)).toMatchObject({ behavior: "allow" });
  expect(await ask(request("c1", "Put"), signal)).toBeUndefined();
});

it("drift names each call that ended otherwise than it was recorded", async () => {
  const cassette = await recorded();
  const setup = asking([]);
  setup.disk.set("/w/missing", "now there");
  const end = await replay(cassette, setup);
  expect(drift(cassette, end.messages, { cwd: "/w" })).toEqual([
    { turn: 1, callId: "c1", tool: "Put", recorded: "ok", replayed: "denied", says: expect.any(String) },
    { turn: 1, callId: "c3", tool: "Get", recorded: "error", replayed: "ok", says: "now there" },
  ]);
  expect(drift(cassette, []).map(({ replayed }) => replayed)).toEqual(["absent", "absent", "absent"]);
});

it("a cassette that has ended says so once and is not asked for ever", async () => {
  const cassette = await recorded();
  const end = await replay({ ...cassette, turns: cassette.turns.slice(0, 1) }, asking([]));
  expect(end.reason).toBe("error");
  expect(String(end.error)).toContain("only 1 messages");
  expect(end.turns).toBe(2);
});

it.each([
  ["{", "is not JSON"],
  ['{"format":"haft-cassette","version":99}', "has version 99"],
  ['{"format":"other","version":1}', "format"],
  [
    '{"format":"haft-cassette","version":1,"model":"m","opening":[],"turns":[{"events":[{"type":"part"}]}],"approvals":[]}',
    "turns",
  ],
])("a file that is no cassette is refused with its reason: %s", (source, reason) => {
  expect(() => parseCassette(source, "demo.json")).toThrow(reason);
});

it("only the folder itself is replaced, not what merely begins like it", () => {
  expect(withoutFolder({ a: ["/w/x", "/w", "/w2", "in /w, yes", "/w-x"] }, "/w")).toEqual({
    a: ["{{cwd}}/x", "{{cwd}}", "/w2", "in {{cwd}}, yes", "/w-x"],
  });
});
