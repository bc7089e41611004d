import { describe, expect, it } from "vitest";
import { testMachine, textOf } from "../../test/support/machine.ts";
import { type Caller, defineTool } from "../tool/index.ts";
import { createExecutor } from "./index.ts";

const input = { type: "object", properties: {} } as const;
const about = { description: "A tool of a test.", input, can: [] as const, effects: () => [] };
const roots = { method: "roots/list" } as const;

const Asks = defineTool({
  ...about,
  name: "Asks",
  run: async (_, { caller }) => JSON.stringify((await caller?.ask("roots", roots)) ?? "nobody"),
});
const Plain = defineTool({ ...about, name: "Plain", run: () => "plain" });
const Through = defineTool({
  ...about,
  name: "Through",
  run: async (_, { invoke }) => (await invoke("Asks", {})).content,
  toModel: (content) => content as never,
});

/** A caller whose answers the test gives. */
function callerInHand() {
  const answers: ((reply: Record<string, unknown>) => void)[] = [];
  const ask: Caller["ask"] = () => new Promise((resolve) => void answers.push(resolve));
  return { caller: { can: new Set([roots.method]), ask } satisfies Caller, answers };
}

describe("the caller of a call", () => {
  it("Q13 can be asked back by the tool and by the calls that it makes; where there is none, there is none", async () => {
    const executor = createExecutor(testMachine([Asks, Through]).machine);
    const { caller, answers } = callerInHand();
    const calls = ["Asks", "Through"].map((tool, at) => executor.run([{ id: `c${at}`, tool, input: {}, caller }]));
    await expect.poll(() => answers.length).toBe(2);
    for (const answer of answers) answer({ roots: ["here"] });
    expect((await Promise.all(calls)).map(([outcome]) => textOf(outcome!))).toEqual(
      Array(2).fill('{"roots":["here"]}'),
    );
    const [alone] = await executor.run([{ id: "c3", tool: "Asks", input: {} }]);
    expect(textOf(alone!)).toBe('"nobody"');
  });

  it("Q13 calls that wait for their caller keep nobody from running, and run on in their place afterwards", async () => {
    const { machine } = testMachine([Asks, Plain], { maxConcurrent: 2, loopGuard: false });
    const executor = createExecutor(machine);
    const { caller, answers } = callerInHand();
    const waiting = Array.from({ length: 5 }, (_, at) =>
      executor.run([{ id: `w${at}`, tool: "Asks", input: {}, caller }]),
    );
    await expect.poll(() => answers.length).toBe(5);
    const [plain] = await executor.run([{ id: "p", tool: "Plain", input: {} }]);
    expect(textOf(plain!)).toBe("plain");
    for (const answer of answers) answer({});
    expect((await Promise.all(waiting)).map(([outcome]) => outcome?.status)).toEqual(Array(5).fill("ok"));
    // Every place was given back, none twice.
    const more = Array.from({ length: 6 }, (_, at) => executor.run([{ id: `m${at}`, tool: "Plain", input: {} }]));
    expect((await Promise.all(more)).every(([outcome]) => outcome?.status === "ok")).toBe(true);
  });

  it("Q13 a call that is cancelled while it waits for its caller ends", async () => {
    const executor = createExecutor(testMachine([Asks]).machine);
    const { caller, answers } = callerInHand();
    const stop = new AbortController();
    const call = executor.run([{ id: "c", tool: "Asks", input: {}, caller }], { signal: stop.signal });
    await expect.poll(() => answers.length).toBe(1);
    stop.abort();
    answers[0]?.({});
    expect((await call)[0]?.status).toBe("cancelled");
  });
});
