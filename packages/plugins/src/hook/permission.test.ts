import { createBroker, type NewRequest } from "@haft/core/approval";
import type { Decision, Suggestion } from "@haft/core/policy";
import { write } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { settingsHooks } from "../../test/support/hooks.ts";

const SUGGESTION: Suggestion = { label: "Always in src", rules: ["Edit(src/**)"], scope: "session" };
const REQUEST: NewRequest = {
  callId: "c1",
  agent: { id: "main" },
  tool: "Write",
  title: "Write src/a",
  input: { file_path: "src/a" },
  effects: [write("/w/src/a")],
  show: { kind: "text", text: "" },
  why: "the mode asks",
  destructive: false,
  suggestions: [SUGGESTION],
};
const DECISION: Decision = {
  decision: "ask",
  reason: "the mode asks",
  trace: [],
  suggestions: [SUGGESTION],
  grant: { effects: [], holes: [] },
};

/** Asks with these hooks in front of a person who always says yes. */
const asked = (...commands: string[]) => askedAbout(REQUEST, ...commands);

async function askedAbout(request: NewRequest, ...commands: string[]) {
  const hooks = settingsHooks({
    PermissionRequest: [
      { matcher: "Write", hooks: commands.map((command) => ({ type: "command" as const, command })) },
    ],
  });
  let people = 0;
  const person = {
    name: "user",
    ask: async () => {
      people++;
      return { behavior: "allow" as const };
    },
  };
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) };
  const broker = createBroker({ askers: hooks.askers([person]), clock, newId: () => "q1" });
  const outcome = await broker.ask(request, DECISION);
  hooks.remove();
  return { outcome, people, notices: hooks.notices };
}

const decides = (decision: object) =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })}'`;

describe("PermissionRequest hooks", () => {
  it("E23 answer in a person's place, so that the person is not asked", async () => {
    const { outcome, people } = await asked(decides({ behavior: "allow", updatedInput: { file_path: "src/b" } }));
    const answer = { behavior: "allow", input: { file_path: "src/b" } };
    expect(outcome).toEqual({ status: "answered", requestId: "q1", by: "hook", answer });
    expect(people).toBe(0);
  });

  it("E24 a no beats a yes, and has words", async () => {
    const { outcome } = await asked(decides({ behavior: "allow" }), decides({ behavior: "deny", interrupt: true }));
    const answer = { behavior: "deny", interrupt: true, message: expect.stringContaining("refused") };
    expect(outcome).toMatchObject({ status: "answered", answer });
  });

  it.each([
    ["says nothing", "true", 0],
    ["crashes", "exit 1", 1],
    ["ends with 2, which has no effect here", "echo no >&2; exit 2", 1],
    ["ends with 2 although it says yes", `${decides({ behavior: "allow" })}; exit 2`, 1],
    ["answers junk", `echo '{"hookSpecificOutput":{"decision":{"behaviour":"allow"}}}'`, 1],
    ["answers without a behavior", decides({ message: "well" }), 1],
  ])("E24 one that %s leaves the question to the person", async (_, command, notices) => {
    const result = await asked(command);
    expect(result.outcome).toMatchObject({ status: "answered", by: "user" });
    expect([result.people, result.notices.length]).toEqual([1, notices]);
  });

  it("E24 may take up a suggestion as it was made, and no rule of its own", async () => {
    const update = (ruleContent: string) => ({
      type: "addRules",
      rules: [{ toolName: "Edit", ruleContent }],
      behavior: "allow",
      destination: "session",
    });
    const allow = (ruleContent: string) => decides({ behavior: "allow", updatedPermissions: [update(ruleContent)] });
    expect((await asked(allow("src/**"))).outcome).toMatchObject({ answer: { remember: SUGGESTION } });
    const wider = await asked(allow("**"));
    expect(wider.outcome).toMatchObject({ answer: { behavior: "allow" } });
    expect(wider.outcome).not.toHaveProperty("answer.remember");
    expect(wider.notices).toMatchObject([{ kind: "remark", text: expect.stringContaining("updatedPermissions") }]);
  });

  it("E23 echoing the suggestions that a hook is shown is taking them up", async () => {
    const echo = `jq -c '{hookSpecificOutput: {decision: {behavior: "allow", updatedPermissions: .permission_suggestions}}}'`;
    expect((await asked(echo)).outcome).toMatchObject({ answer: { remember: SUGGESTION } });
  });

  it("E24 if only a person may say yes, a hook's yes is left to them and its no counts", async () => {
    const only: NewRequest = { ...REQUEST, personOnly: true };
    const yes = await askedAbout(only, decides({ behavior: "allow" }));
    expect([yes.people, yes.outcome]).toMatchObject([1, { by: "user" }]);
    expect(yes.notices).toMatchObject([{ text: expect.stringContaining("this needs confirmation") }]);
    const no = await askedAbout(only, decides({ behavior: "deny" }));
    expect([no.people, no.outcome]).toMatchObject([0, { by: "hook", answer: { behavior: "deny" } }]);
  });
});
