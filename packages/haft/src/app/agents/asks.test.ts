import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "@haft/core/approval";
import { describe, expect, it } from "vitest";
import { agentSession, script, treeModel, turn } from "../../../test/support/agents.ts";
import { askStorm } from "../../../test/support/ask-storm.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { drawQuestion } from "../../draw/question.ts";
import { PLAIN } from "../../draw/style.ts";
import { approvalForm } from "../../server/mcp/approval-form.ts";

const places = sessionPlaces("asks");
const agent = (prompt: string, more: object = {}) => ({ description: "a part", prompt, ...more });
const write = (file_path: string) => ["Write", { file_path, content: "x" }] as const;

describe("a subagent's question", () => {
  it("S11 reaches the parent's face with agent, model, the full command and its effects, and a comment reaches the agent that asked", async () => {
    const model = treeModel({
      Outer: script(
        turn(["Agent", agent("Inner", { name: "digger" })], ["Bash", { command: "touch outer.txt" }]),
        "Outer done.",
      ),
      Inner: script(turn(["Bash", { command: "touch inner.txt && echo ok" }]), "Inner done."),
    });
    const { haft, asked } = await agentSession(places, model, {
      ask: async ({ agent: who }) => ({ behavior: "deny", message: `not you, ${who.name}` }),
    });
    await haft.call("Agent", agent("Outer"));
    const inner = asked.find(({ agent: { id } }) => id === "a1.1")!;
    expect(inner.agent).toEqual({
      id: "a1.1",
      name: "digger",
      parent: "a1",
      path: ["general", "digger"],
      model: "test/scripted",
      call: expect.any(String),
    });
    const shown = drawQuestion(inner, PLAIN);
    expect(shown).toContain("asked by the agent general › digger (a1.1), test/scripted");
    expect(shown).toContain("touch inner.txt && echo ok");
    const whole = { message: expect.stringContaining("Asked by the agent general › digger (a1.1), test/scripted. ") };
    expect(approvalForm(inner).params).toMatchObject(whole);
    expect(inner.effects.map(({ do: word }) => word)).toContain("run");
    const said = (prompt: string) =>
      JSON.stringify(model.requests.findLast(({ messages }) => JSON.stringify(messages[0]).includes(prompt))?.messages);
    expect(said("Inner")).toContain("not you, digger");
    expect(said("Outer")).toContain("not you, general");
    expect(said("Outer")).not.toContain("not you, digger");
  });

  it("S11 a plain no ends the agent that asked and no other; without anybody there it is told so", async () => {
    const model = treeModel({
      No: script(turn(write("no.txt")), "Never."),
      Yes: script(turn(write("yes.txt")), "Written."),
    });
    const { haft, cwd } = await agentSession(places, model, {
      ask: async ({ input }) => ({ behavior: JSON.stringify(input).includes("no.txt") ? "deny" : "allow" }),
    });
    const outcomes = await haft.run(
      ["No", "Yes"].map((prompt, index) => ({ id: `c${index}`, tool: "Agent", input: agent(prompt) })),
    );
    expect(outcomes[0]?.result.error?.message).toContain("the user said no");
    expect(outcomes[1]?.result.output).toMatchObject({ status: "completed", filesModified: [join(cwd, "yes.txt")] });
    expect(existsSync(join(cwd, "no.txt"))).toBe(false);
    const alone = await agentSession(places, treeModel({ Yes: script(turn(write("yes.txt")), "Could not.") }));
    const result = await alone.haft.call("Agent", agent("Yes"));
    expect(result.output).toMatchObject({ text: "Could not.", failedCalls: 1 });
  });

  it("S11 F20 a rule that an answer saves also answers the questions of other agents that it covers, and no others", async () => {
    const model = treeModel({
      One: script(turn(write("src/one.txt")), "One."),
      Two: script(turn(write("src/two.txt")), "Two."),
      Other: script(turn(write("other.txt")), "Other."),
    });
    const all = Promise.withResolvers<void>();
    const seen: string[] = [];
    const { haft } = await agentSession(places, model, {
      ask: async ({ title, suggestions }, signal) => {
        seen.push(title);
        if (seen.length === 3) all.resolve();
        await all.promise;
        const remember = suggestions.find(({ rules }) => rules.some((rule) => rule.includes("src/**")));
        if (title.includes("one") && remember)
          return { behavior: "allow", remember: { ...remember, scope: "session" } };
        if (title.includes("other")) return { behavior: "deny", message: "not that one" };
        // This person never answers: only a rule can.
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
      },
    });
    const prompts = ["One", "Two", "Other"];
    const outcomes = await haft.run(
      prompts.map((prompt, at) => ({ id: `c${at}`, tool: "Agent", input: agent(prompt) })),
    );
    const failed = outcomes.map(({ result }) => (result.output as { failedCalls: number }).failedCalls);
    expect(seen).toHaveLength(3);
    expect(failed).toEqual([0, 0, 1]);
  });

  it("S11 V05 autoConfirmDangerous says yes to what the mode asks, never to a rule, a protected path or a forbidden command; no argument of the model does", async () => {
    const files = ["free.txt", "asked/a.txt", "denied/a.txt", ".git/config"];
    const model = treeModel({
      Try: script(turn(...files.map(write), ["Bash", { command: "sudo ls", confirmed: true }]), "Tried."),
    });
    const options = {
      rules: { ask: ["write(asked/**)"], deny: ["write(denied/**)"] },
      ask: async () => ({ behavior: "deny", message: "no" }) as Answer,
    };
    const strict = await agentSession(places, model, options);
    await strict.haft.agents!.start({ type: "general", prompt: "Try", description: "x" });
    expect(strict.asked.map(({ input }) => (input as { file_path?: string }).file_path?.split("/").at(-1))).toEqual([
      "free.txt",
      "a.txt",
      "config",
    ]);
    const trusting = await agentSession(places, model, options);
    const report = await trusting.haft.agents!.start({
      type: "general",
      prompt: "Try",
      description: "x",
      confirms: true,
    });
    expect(trusting.asked).toHaveLength(2);
    expect(report.filesModified).toEqual([join(trusting.cwd, "free.txt")]);
  });

  it("S11 random interleavings of asks lose none and bring none to another agent", async () => {
    expect(await askStorm(places, 25)).toEqual({ lost: 0, crossed: 0, rounds: 25 });
  });
});
