import { expect, it } from "vitest";
import type { Decision, Suggestion } from "../policy/index.ts";
import { type Asker, type CanUseTool, canUseToolAsker, createBroker, type NewRequest } from "./index.ts";

const SESSION: Suggestion = { label: "now", rules: ["Bash(npm test *)", "Read"], scope: "session" };
const PROJECT: Suggestion = { ...SESSION, label: "here", scope: "project" };
const DRAFT: NewRequest = {
  callId: "c1",
  agent: { id: "sub" },
  tool: "Bash",
  title: "npm test",
  input: { command: "npm test", timeout: 5 },
  effects: [],
  show: { kind: "text", text: "npm test" },
  why: "the mode asks",
  destructive: false,
  suggestions: [SESSION, PROJECT],
};
const DECISION: Decision = {
  decision: "ask",
  reason: "the mode asks",
  trace: [],
  suggestions: [],
  grant: { effects: [], holes: [] },
};

/** The outcome of asking this function, and its notices. */
async function asked(ask: Asker) {
  const faults: string[] = [];
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) };
  const onFault = (_: string, why: string) => faults.push(why);
  const broker = createBroker({ askers: [{ name: "user", ask }], clock, newId: () => "q1", onFault });
  const outcome = await broker.ask(DRAFT, DECISION);
  return { faults, outcome, answer: outcome.status === "answered" ? outcome.answer : undefined };
}
const answered = (callback: CanUseTool) => asked(canUseToolAsker(callback));

it("F28 a canUseTool callback hears tool, input, reason and suggestions in the documented form", async () => {
  const heard: unknown[] = [];
  await answered((tool, input, { signal: _, ...options }) => {
    heard.push(tool, input, options);
    return { behavior: "allow" };
  });
  const rules = [{ toolName: "Bash", ruleContent: "npm test *" }, { toolName: "Read" }];
  const update = { type: "addRules", rules, behavior: "allow", destination: "session" };
  expect(heard).toEqual([
    "Bash",
    DRAFT.input,
    {
      suggestions: [update, { ...update, destination: "projectSettings" }],
      toolUseID: "c1",
      agentID: "sub",
      decisionReason: "the mode asks",
      title: "npm test",
    },
  ]);
});

it("F28 it allows, changes the input, refuses; the input that it was shown is no change", async () => {
  expect((await answered(() => ({ behavior: "allow" }))).answer).toEqual({ behavior: "allow" });
  expect((await answered((_, input) => ({ behavior: "allow", updatedInput: input }))).answer).toEqual({
    behavior: "allow",
  });
  expect(
    (await answered((_, input) => ({ behavior: "allow", updatedInput: { ...input, timeout: 6 } }))).answer,
  ).toEqual({ behavior: "allow", input: { command: "npm test", timeout: 6 } });
  expect((await answered(() => ({ behavior: "deny", message: "no", interrupt: true }))).answer).toEqual({
    behavior: "deny",
    message: "no",
    interrupt: true,
  });
});

it("F20 suggestions that it gives back are remembered, the narrowest of several; nothing else is", async () => {
  const echo: CanUseTool = (_, __, { suggestions }) => ({ behavior: "allow", updatedPermissions: suggestions });
  expect((await answered(echo)).answer).toEqual({ behavior: "allow", remember: SESSION });
  const last: CanUseTool = (_, __, { suggestions }) => ({
    behavior: "allow",
    updatedPermissions: [structuredClone(suggestions.at(-1))],
  });
  expect((await answered(last)).answer).toEqual({ behavior: "allow", remember: PROJECT });
  const wider = { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow", destination: "session" };
  const { outcome, faults } = await answered(() => ({ behavior: "allow", updatedPermissions: [wider] }));
  expect([outcome.status, faults]).toEqual(["unattended", [expect.stringContaining("not suggested")]]);
});

it("F11 a yes that says no in another word is none", async () => {
  for (const second of [{ decision: "deny" }, { interrupt: true }, { approved: false }]) {
    const { outcome, faults } = await answered(() => ({ behavior: "allow", ...second }));
    expect([outcome.status, faults.length]).toEqual(["unattended", 1]);
  }
  const known = await answered(() => ({ behavior: "allow", toolUseID: "c1" }) as never);
  expect(known.answer).toEqual({ behavior: "allow" });
});

it.each<[string, () => unknown, RegExp]>([
  [
    "throws",
    () => {
      throw new Error("no such window");
    },
    /no such window/,
  ],
  ["rejects", () => Promise.reject(new Error("gone")), /gone/],
  ["gives a text", () => "allow", /an object with a behavior/],
  ["gives another word", () => ({ behavior: "yes" }), /"allow" or "deny"/],
  [
    "gives an answer of another shape",
    () => ({ behavior: "allow", updatedInput: { command: "ls" } }),
    /called "input"/,
  ],
])("F13 one that %s has not answered, and that is said", async (_, give, why) => {
  const { outcome, faults } = await asked(give as Asker);
  expect([outcome.status, faults]).toEqual(["unattended", [expect.stringMatching(why)]]);
});
