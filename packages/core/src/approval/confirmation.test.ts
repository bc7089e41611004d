import { describe, expect, it } from "vitest";
import type { RuleSource } from "../policy/index.ts";
import { answerFor, applicableOutcomes, CONFIRMATION_MEANING, confirmationOutcomes } from "./confirmation.ts";
import { type ApprovalRequest, grantOf } from "./index.ts";
import { refusalOf } from "./outcome.ts";

const server = { label: "all of git", rules: ["mcp__git__*"], scope: "server" } as const;
const tool = { label: "git log", rules: ["mcp__git__log"], scope: "tool" } as const;
const session = {
  label: "npm test, this session",
  rules: ["Bash(npm test *)", "Read(/out/**)"],
  scope: "session",
} as const;
const project = { label: "npm test, this project", rules: ["Bash(npm test *)"], scope: "project" } as const;

const request = (...suggestions: ApprovalRequest["suggestions"]): ApprovalRequest => ({
  id: "r1",
  callId: "c1",
  agent: { id: "main" },
  tool: "Bash",
  title: "npm test",
  input: { command: "npm test" },
  effects: [],
  show: { kind: "terminal", text: "", command: "npm test" },
  why: "no rule allows it",
  destructive: false,
  suggestions,
});

const allowed = (...texts: string[]): RuleSource[] =>
  texts.map((text) => ({ behavior: "allow", origin: "session", text }));

describe("outcomes and what they leave", () => {
  it("F19 proceed_once allows this call and leaves nothing behind", async () => {
    const answer = answerFor("proceed_once", request(session, project));
    expect(answer).toEqual({ behavior: "allow" });
    expect(await grantOf(request(session), answer)).toEqual({ scope: "once", rules: [], saved: false });
  });

  it("F20 proceed_always keeps the previewed rules, for the session unless a scope was chosen", async () => {
    const answer = answerFor("proceed_always", request(project, session));
    expect(answer).toEqual({ behavior: "allow", remember: session });
    expect(await grantOf(request(project, session), answer)).toEqual({
      scope: "session",
      rules: allowed("Bash(npm test *)", "Read(/out/**)"),
      saved: false,
    });
    expect(answerFor("proceed_always", request(project, session), { scope: "project" })).toEqual({
      behavior: "allow",
      remember: project,
    });
  });

  it("F20 project and user grants are written once, by a host that can write them", async () => {
    const written: unknown[] = [];
    const answer = answerFor("proceed_always", request(project), { scope: "project" });
    const kept = await grantOf(request(project), answer, async (rules, scope) => {
      written.push([rules, scope]);
      return "/w/settings.json";
    });
    const rules = allowed("Bash(npm test *)");
    expect(kept).toEqual({ scope: "project", rules, saved: true, file: "/w/settings.json" });
    expect(written).toEqual([[allowed("Bash(npm test *)"), "project"]]);
  });

  it("F20 a grant that cannot be saved holds for the session and says so", async () => {
    const answer = answerFor("proceed_always", request(project), { scope: "project" });
    const failed = await grantOf(request(project), answer, () => Promise.reject(new Error("read-only disk")));
    expect(failed).toMatchObject({ saved: false, rules: allowed("Bash(npm test *)") });
    expect(failed.notice).toContain("read-only disk");
    expect((await grantOf(request(project), answer)).notice).toContain("cannot be saved here");
  });

  it("F20 only what the request offered is kept, word for word", async () => {
    const forged = { ...session, rules: ["Bash"] };
    const kept = await grantOf(request(session), { behavior: "allow", remember: forged });
    expect(kept).toMatchObject({ scope: "once", rules: [] });
    expect(kept.notice).toContain("did not offer the rule to remember");
  });

  it("F21 F22 the server and the tool outcomes take the suggestion of that scope", async () => {
    const asked = request(tool, server);
    const whole = answerFor("proceed_always_server", asked);
    const one = answerFor("proceed_always_tool", asked);
    expect((await grantOf(asked, whole)).rules).toEqual(allowed("mcp__git__*"));
    expect((await grantOf(asked, one)).rules).toEqual(allowed("mcp__git__log"));
  });

  it("F23 modify_with_editor hands over the changed input, and nothing without one", () => {
    const input = { command: "npm test -- --watch=false" };
    expect(answerFor("modify_with_editor", request(), { input })).toEqual({ behavior: "allow", input, review: true });
    expect(() => answerFor("modify_with_editor", request())).toThrow(/needs the changed input/);
  });

  it("F24 cancel is a refusal that leaves nothing; its reason reaches the model", async () => {
    const silent = answerFor("cancel", request(session));
    const reasoned = answerFor("cancel", request(session), { message: "use pnpm" });
    expect(silent).toEqual({ behavior: "deny" });
    expect(await grantOf(request(session), reasoned)).toMatchObject({ rules: [], scope: "once" });
    const refusal = (answer: typeof silent) =>
      refusalOf({ status: "answered", requestId: "r1", by: "terminal", answer }, "Bash");
    expect(refusal(silent)).toMatchObject({ code: "denied_by_user", details: { by: "terminal" } });
    expect(refusal(silent)?.message).toBe("The user refused this call of Bash. It did not run.");
    expect(refusal(reasoned)?.message).toContain("use pnpm");
    expect(refusal(answerFor("proceed_once", request()))).toBeUndefined();
  });

  it("F24 an outcome that nobody knows, or that the request does not offer, is no answer", () => {
    for (const outcome of ["yes", "", "constructor", "PROCEED_ONCE"])
      expect(() => answerFor(outcome, request(session))).toThrow(/no outcome/);
    expect(() => answerFor("proceed_always_server", request(session))).toThrow(/scope "server"/);
    expect(() => answerFor("proceed_always", request(session), { scope: "user" })).toThrow(/scope "user"/);
    expect(() => answerFor("proceed_always", request())).toThrow(/nothing to remember/);
  });

  it("F20 a dialog shows only the outcomes that apply", () => {
    expect(applicableOutcomes(request())).toEqual(["proceed_once", "modify_with_editor", "cancel"]);
    expect(applicableOutcomes(request(project))).toContain("proceed_always");
    expect(applicableOutcomes(request(server))).not.toContain("proceed_always");
    expect(applicableOutcomes(request(session, server, tool))).toEqual([...confirmationOutcomes]);
    expect(Object.keys(CONFIRMATION_MEANING)).toEqual([...confirmationOutcomes]);
  });
});
