import { describe, expect, it } from "vitest";
import type { Decision } from "../policy/index.ts";
import type { Clock } from "../tool/index.ts";
import {
  type Answer,
  type ApprovalRequest,
  type Asker,
  type Broker,
  type BrokerEvent,
  type BrokerOptions,
  createBroker,
  type NewRequest,
} from "./index.ts";
import { refusalOf } from "./outcome.ts";

const decision: Decision = {
  decision: "ask",
  reason: "no rule allows it",
  trace: [],
  suggestions: [],
  grant: { effects: [], holes: [] },
};

const draft = (callId: string, more: Partial<NewRequest> = {}): NewRequest => ({
  callId,
  agent: { id: "main" },
  tool: "Write",
  title: "Write a.txt",
  summary: "creates a.txt",
  input: { file_path: "a.txt", content: "x" },
  effects: [],
  show: { kind: "text", text: "x" },
  why: "no rule allows it",
  destructive: false,
  suggestions: [{ label: "a.txt from now on", rules: ["Edit(/a.txt)"], scope: "session" }],
  ...more,
});

/** Time that passes only when told to. */
function handClock(): Clock & { pass(ms: number): Promise<void> } {
  let now = Date.parse("2030-01-01T00:00:00Z");
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(new DOMException("over", "AbortError"));
        });
      }),
    async pass(ms) {
      now += ms;
      for (const sleeper of [...sleepers]) if (sleeper.at <= now) sleeper.wake();
      await settled();
    },
  };
}

/** Lets everything run that waits for nothing but its turn. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function brokerWith(options: Partial<BrokerOptions> = {}): { broker: Broker; clock: ReturnType<typeof handClock> } {
  const clock = handClock();
  let count = 0;
  return { clock, broker: createBroker({ clock, newId: () => `r${++count}`, ...options }) };
}

/** An answer whose every property throws. */
const hostile = new Proxy({} as Answer, {
  get(_target, key) {
    // A promise looks for `then` on what it resolves to; everything after that is the broker's own reading.
    if (key === "then") return undefined;
    throw new Error("hostile");
  },
});

const allow: Answer = { behavior: "allow" };

describe("routing", () => {
  it("F11 a request carries its own id, the call, the agent and what is shown, as plain frozen data", () => {
    const { broker } = brokerWith({ hostAnswers: true, timeoutMs: 60_000 });
    void broker.ask(draft("c1", { agent: { id: "sub", parent: "main" } }), decision);
    const [pending] = broker.pending();
    expect(pending?.decision).toBe(decision);
    expect(pending?.request).toEqual({
      ...draft("c1", { agent: { id: "sub", parent: "main" } }),
      id: "r1",
      expiresAt: "2030-01-01T00:01:00.000Z",
    });
    expect(JSON.parse(JSON.stringify(pending?.request))).toEqual(pending?.request);
    const suggestions = pending?.request.suggestions as unknown[];
    expect(() => suggestions.push("x")).toThrow("not extensible");
  });

  it("F11 answers go to the request with that id, in any order, though both calls are of one tool", async () => {
    const { broker } = brokerWith({ hostAnswers: true });
    const first = broker.ask(draft("c1"), decision);
    const second = broker.ask(draft("c2"), decision);
    expect(broker.answer("r2", allow, "web", "c2")).toEqual({ accepted: true });
    expect(broker.answer("r1", { behavior: "deny", message: "not that file" }, "terminal")).toEqual({ accepted: true });
    expect(await second).toEqual({ status: "answered", requestId: "r2", answer: allow, by: "web" });
    expect(await first).toMatchObject({ requestId: "r1", by: "terminal", answer: { behavior: "deny" } });
    expect(broker.pending()).toEqual([]);
  });

  it("F11 wrong, foreign, double and late answers are refused with a reason and change nothing", async () => {
    const { broker } = brokerWith({ hostAnswers: true });
    const outcome = broker.ask(draft("c1"), decision);
    expect(broker.answer("Write", allow, "web")).toMatchObject({ accepted: false, reason: "unknown_request" });
    expect(broker.answer("r1", allow, "web", "c2")).toMatchObject({ accepted: false, reason: "other_call" });
    expect(broker.pending()).toHaveLength(1);
    expect(broker.answer("r1", { behavior: "deny" }, "web")).toEqual({ accepted: true });
    expect(broker.answer("r1", allow, "web")).toMatchObject({ accepted: false, reason: "already_settled" });
    expect(await outcome).toMatchObject({ answer: { behavior: "deny" } });
  });

  it.each([
    ...[undefined, null, true, "allow", [], {}, { behavior: "yes" }],
    { behavior: "allow", decision: "deny" },
    { behavior: "allow", outcome: "cancel" },
    { behavior: "allow", approved: false },
    { behavior: "allow", interrupt: true },
    { behavior: ["allow"] },
    { behavior: "allow", message: 1 },
    { behavior: "deny", interrupt: "now" },
    { behavior: "allow", remember: { label: "all", rules: ["Bash"], scope: "session" } },
    { behavior: "allow", remember: { label: "a.txt from now on", rules: ["Edit(/a.txt)"], scope: "user" } },
    { behavior: "allow", remember: { label: "a.txt from now on", rules: ["Edit(/a.txt)", "Bash"], scope: "session" } },
    { behavior: "allow", remember: { label: "a.txt from now on", rules: "Edit(/a.txt)", scope: "session" } },
    { behavior: "allow", input: { run: () => 1 } },
  ])("F11 %j is no answer, and the request goes on waiting", async (junk) => {
    const { broker } = brokerWith({ hostAnswers: true });
    void broker.ask(draft("c1"), decision);
    expect(broker.answer("r1", junk, "web")).toMatchObject({ accepted: false, reason: "invalid" });
    expect(broker.pending()).toHaveLength(1);
  });

  it("F11 the caller hears the request before anybody can answer; its failure is its own", async () => {
    const order: string[] = [];
    const ask: Asker = async ({ id }) => {
      order.push(`asker ${id}`);
      return allow;
    };
    const { broker } = brokerWith({ askers: [{ name: "web", ask }] });
    const outcome = broker.ask(draft("c1"), decision, undefined, ({ id }) => {
      order.push(`caller ${id}`);
      throw new Error("broken listener");
    });
    expect(await outcome).toMatchObject({ status: "answered" });
    expect(order).toEqual(["caller r1", "asker r1"]);
  });

  it("F11 a request id that was given out twice is refused", async () => {
    const { broker } = brokerWith({ hostAnswers: true, newId: () => "same" });
    void broker.ask(draft("c1"), decision);
    await expect(broker.ask(draft("c2"), decision)).rejects.toThrow(/used twice/);
  });

  it("F11 a request that is not plain data is refused before anybody sees it", async () => {
    const { broker } = brokerWith({ hostAnswers: true });
    await expect(broker.ask(draft("c1", { input: { size: 1n } }), decision)).rejects.toThrow(/plain data/);
    expect(broker.pending()).toEqual([]);
  });
});

describe("several askers", () => {
  it("F11 the first valid answer wins, the others' signal fires and their answers are late", async () => {
    let say: (answer: Answer) => void = () => {};
    let losing: AbortSignal | undefined;
    const slow: Asker = (_request, signal) => {
      losing = signal;
      return new Promise((resolve) => {
        say = resolve;
      });
    };
    const { broker } = brokerWith({
      askers: [
        { name: "terminal", ask: slow },
        { name: "web", ask: async () => ({ behavior: "deny" }) },
      ],
    });
    const outcome = await broker.ask(draft("c1"), decision);
    say(allow);
    await settled();
    expect(outcome).toMatchObject({ by: "web", answer: { behavior: "deny" } });
    expect(losing?.aborted).toBe(true);
  });

  it("F11 an asker that throws, refuses to say or says nonsense has not answered; another may", async () => {
    const noAnswers: Asker[] = [
      () => {
        throw new Error("at once");
      },
      () => Promise.reject(new Error("later")),
      async () => undefined,
      async () => ({ behavior: "yes" }) as unknown as Answer,
      async () => hostile,
    ];
    const askers = noAnswers.map((ask, index) => ({ name: `a${index}`, ask }));
    const good = { name: "good", ask: () => settled().then(() => allow) };
    const { broker } = brokerWith({ askers: [...askers, good] });
    expect(await broker.ask(draft("c1"), decision)).toMatchObject({ status: "answered", by: "good" });
    const { broker: alone } = brokerWith({ askers });
    expect(await alone.ask(draft("c1"), decision)).toEqual({ status: "unattended", requestId: "r1" });
  });

  it("F11 no asker can add to what others may remember, nor change an answer afterwards", async () => {
    const suggestion = { label: "everything", rules: ["Bash"], scope: "session" } as const;
    const forger: Asker = async (request) => {
      (request.suggestions as unknown[]).push(suggestion);
      return { behavior: "allow", remember: suggestion };
    };
    const { broker } = brokerWith({ askers: [{ name: "forger", ask: forger }] });
    expect(await broker.ask(draft("c1"), decision)).toMatchObject({ status: "unattended" });

    const { broker: other } = brokerWith({ hostAnswers: true });
    const outcome = other.ask(draft("c1"), decision);
    const input = { file_path: "b.txt" };
    other.answer("r1", { behavior: "allow", input }, "web");
    input.file_path = "/etc/passwd";
    expect(await outcome).toMatchObject({ answer: { input: { file_path: "b.txt" } } });
  });

  it("F11 watchers see a request and its end once; one that throws disturbs nobody", async () => {
    const { broker } = brokerWith({ hostAnswers: true, timeoutMs: 1000 });
    const seen: BrokerEvent["type"][] = [];
    broker.watch(() => {
      throw new Error("broken page");
    });
    const stop = broker.watch((event) => seen.push(event.type));
    const outcome = broker.ask(draft("c1"), decision);
    broker.answer("r1", allow, "web");
    await outcome;
    await settled();
    stop();
    void broker.ask(draft("c2"), decision);
    expect(seen).toEqual(["asked", "settled"]);
  });
});

describe("nobody there", () => {
  it("F31 without an asker and without a host's queue it settles at once, and never as an allow", async () => {
    const { broker } = brokerWith();
    const seen: BrokerEvent[] = [];
    broker.watch((event) => seen.push(event));
    const outcome = await broker.ask(draft("c1"), decision);
    expect(outcome).toEqual({ status: "unattended", requestId: "r1" });
    expect(seen).toEqual([]);
    expect(refusalOf(outcome, "Write")).toMatchObject({
      code: "needs_approval",
      message: "Write needs approval, and nobody is there to give it. It did not run.",
    });
    expect(broker.answer("r1", allow, "web")).toMatchObject({ accepted: false });
  });

  it("F31 an unanswered request expires as a denial, at its time and not before", async () => {
    const { broker, clock } = brokerWith({
      askers: [{ name: "t", ask: () => new Promise(() => {}) }],
      timeoutMs: 1000,
    });
    const asked = broker.ask(draft("c1"), decision);
    await clock.pass(999);
    expect(broker.pending()).toHaveLength(1);
    await clock.pass(1);
    const outcome = await asked;
    expect(outcome).toEqual({ status: "expired", requestId: "r1" });
    expect(refusalOf(outcome, "Write")?.code).toBe("approval_expired");
    expect(broker.answer("r1", allow, "t")).toMatchObject({ accepted: false, reason: "already_settled" });
  });

  it("F31 a clock that fails ends the request instead of leaving it open", async () => {
    const clock: Clock = { now: () => 0, sleep: () => Promise.reject(new Error("no timer")) };
    const { broker } = brokerWith({ hostAnswers: true, clock, timeoutMs: 5 });
    expect(await broker.ask(draft("c1"), decision)).toMatchObject({ status: "expired" });
  });

  it("F31 cancelling ends the wait and stops the askers; a request that is cancelled already is never shown", async () => {
    const asked: ApprovalRequest[] = [];
    const signals: AbortSignal[] = [];
    const ask: Asker = (request, signal) => {
      asked.push(request);
      signals.push(signal);
      return new Promise(() => {});
    };
    const { broker } = brokerWith({ askers: [{ name: "t", ask }] });
    const cancel = new AbortController();
    const outcome = broker.ask(draft("c1"), decision, cancel.signal);
    cancel.abort();
    expect(await outcome).toEqual({ status: "cancelled", requestId: "r1" });
    expect(refusalOf(await outcome, "Write")?.code).toBe("cancelled");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await broker.ask(draft("c2"), decision, cancel.signal)).toMatchObject({ status: "cancelled" });
    expect(asked).toHaveLength(1);
  });
});
