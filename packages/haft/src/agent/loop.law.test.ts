import { defineTool } from "@haft/core/tool";
import fc from "fast-check";
import { expect, it } from "vitest";
import { agentSetup } from "../../test/support/agent.ts";
import { calls, finish, type ScriptStep, scriptedModel } from "../../test/support/scripted-model.ts";
import { runAgent } from "./loop.ts";
import { type Message, userMessage } from "./message.ts";
import { repaired } from "./repair.ts";

const Moody = defineTool({
  name: "Moody",
  description: "Does as it is told.",
  input: {
    type: "object",
    properties: { mood: { type: "string", description: "ok, throw, hang or null." } },
    required: ["mood"],
  } as const,
  effects: () => [],
  can: [],
  async run({ mood }, { signal }) {
    if (mood === "throw") throw undefined;
    if (mood !== "hang") return mood;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  },
});

const call = fc.record({
  tool: fc.constantFrom("Moody", "Moody", "Count", "NoSuchTool"),
  mood: fc.constantFrom("ok", "throw", "hang", 7),
  cut: fc.constantFrom(undefined, undefined, undefined, "length" as const, "broken" as const),
  id: fc.constantFrom("", "same", "a", "b", "c", "d"),
});
const message = fc.record({
  calls: fc.array(call, { maxLength: 4 }),
  end: fc.constantFrom("calls", "length", "error", "nothing"),
});

type Scripted = typeof message extends fc.Arbitrary<infer T> ? T : never;

function stepsOf({ calls: made, end }: Scripted): ScriptStep[] {
  const parts = made.map(({ tool, mood, cut, id }, index): ScriptStep => {
    const event = calls(id, tool, tool === "Moody" ? { mood } : {});
    if (event.type !== "part" || event.part.type !== "tool-call") return event;
    return { ...event, key: String(index), part: { ...event.part, ...(cut ? { cut } : {}) } };
  });
  if (end === "nothing") return parts;
  return [...parts, end === "error" ? { type: "error", error: new Error("reset") } : finish(end as "calls" | "length")];
}

/** The rules of every provider for a conversation. */
function expectWhole(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const made =
      message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])) : [];
    const next = messages[index + 1];
    if (made.length > 0) expect(next).toMatchObject({ role: "results", results: made.map((callId) => ({ callId })) });
    if (message.role === "results") expect(messages[index - 1]?.role).toBe("assistant");
  });
  const ids = messages
    .flatMap((message) => (message.role === "results" ? message.results : []))
    .map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(ids.length);
}

it("E14 every call has exactly one result after any failure, in order, right behind its message", async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 4 }), fc.nat({ max: 12 }), async (script, abortAfterMs) => {
      const { executor, offer } = agentSetup([Moody]);
      const abort = new AbortController();
      // A hanging call ends with the interrupt; so each run is interrupted at some moment.
      const timer = setTimeout(() => abort.abort(), abortAfterMs);
      const model = scriptedModel(script.map(stepsOf));
      const end = await runAgent({
        model,
        executor,
        offer,
        messages: [userMessage("Go.")],
        signal: abort.signal,
        maxTurns: 6,
      });
      clearTimeout(timer);
      expectWhole(end.messages);
      answered += end.messages.filter(({ role }) => role === "results").length;
    }),
    { numRuns: 60 },
  );
  expect(answered).toBeGreaterThan(20);
});

it("E14 repairing a conversation that lost its results makes it whole, and only then changes it", () => {
  const part = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.string() }),
    fc.record({
      type: fc.constant("tool-call" as const),
      id: fc.uuid(),
      tool: fc.constant("Get"),
      input: fc.constant({}),
    }),
  );
  const turn = fc.array(part, { minLength: 1, maxLength: 4 }).chain((parts) => {
    const ids = parts.flatMap((one) => (one.type === "tool-call" ? [one.id] : []));
    return fc.record({ parts: fc.constant(parts), kept: fc.subarray(ids), lost: fc.boolean() });
  });
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }), (turns) => {
      const messages = turns.flatMap(({ parts, kept, lost }): Message[] => [
        { role: "user", content: [{ type: "text", text: "?" }] },
        { role: "assistant", parts },
        ...(lost
          ? []
          : [
              {
                role: "results" as const,
                results: kept.map((callId) => ({ callId, tool: "Get", status: "ok" as const, content: [] })),
              },
            ]),
      ]);
      const whole = repaired(messages);
      expectWhole(whole);
      expect(repaired(whole)).toBe(whole);
    }),
  );
});
