import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentSession, endless, script, treeModel, turn } from "../../../test/support/agents.ts";
import { budgetTrees } from "../../../test/support/budget-trees.ts";
import { calls, finish } from "../../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("budgets");
const agent = (prompt: string, more: object = {}) => ({ description: "a part", prompt, ...more });
const list = ["Ls", {}] as const;

describe("the budget of an agent", () => {
  it("S09 the first call beyond it is refused before it runs, says what is missing, and the agent gets its last words", async () => {
    const write = (name: string) => ["Write", { file_path: name, content: "x" }] as const;
    const model = treeModel({ Go: script(turn(write("a"), write("b"), write("c")), turn(write("d"))) });
    const { haft, cwd } = await agentSession(places, model, { mode: "acceptEdits" });
    const { output, error } = await haft.call("Agent", agent("Go", { calls: 2 }));
    expect(output).toMatchObject({
      filesModified: [join(cwd, "a"), join(cwd, "b")],
      text: "last words",
      status: "failed",
    });
    expect(error?.message).toContain("too few calls left: 2 of 2 are spent, 1 more would be needed");
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.tools).toEqual([]);
  });

  it.each([
    ["calls", "calls left: none is allowed"],
    ["tokens", "tokens left: none is allowed"],
    ["spawns", "agents left: none is allowed"],
  ])("S09 0 %s means none", async (means, why) => {
    const model = treeModel({ Go: script(turn(list), "Done."), Spawn: script(turn(["Agent", agent("Go")]), "Done.") });
    const { haft } = await agentSession(places, model);
    const result = await haft.call("Agent", agent(means === "spawns" ? "Spawn" : "Go", { [means]: 0 }));
    expect(JSON.stringify([result.error, model.requests.map(({ messages }) => messages)])).toContain(why);
    expect(haft.agents?.list()).toHaveLength(1);
    if (means === "tokens") expect(model.requests).toEqual([]);
  });

  it("S15 agents that start each other end at the third level, and the last one is told so", async () => {
    const model = treeModel({ Again: script(turn(["Agent", agent("Again")]), "Done.") });
    const { haft } = await agentSession(places, model);
    expect((await haft.call("Agent", agent("Again"))).error).toBeUndefined();
    expect(haft.agents?.list()).toHaveLength(3);
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).toContain("at most 3 levels deep");
  });

  it("S09 one pool for the whole tree: spending below reduces the rest above, and no budget is wider than the rest", async () => {
    const model = treeModel({
      Top: script(turn(["Agent", agent("Low", { calls: 100 })]), turn(list), "Top done."),
      Low: script(turn(list, list, list), "Low done."),
    });
    const { haft } = await agentSession(places, model);
    await haft.call("Agent", agent("Top", { calls: 4 }));
    expect(haft.agents?.list()).toMatchObject([
      { id: "a1", status: "failed", left: { calls: 0 } },
      { id: "a1.1", status: "completed", calls: 3, left: { calls: 0 } },
    ]);
  });

  it("S09 effects: a call that no rule of the bound covers is refused in any mode, also below, and never widens", async () => {
    const calls = turn(
      ["Read", { file_path: "src/a.ts" }],
      ["Read", { file_path: "b.ts" }],
      ["Write", { file_path: "docs/x.md", content: "x" }],
      ["Write", { file_path: "src/x.ts", content: "x" }],
      ["Bash", { command: "touch docs/y" }],
      ["TodoWrite", { todos: [] }],
    );
    const model = treeModel({
      Try: script(calls, turn(["Agent", agent("Below", { effects: ["write(**)", "read(**)"] })]), "Tried."),
      Below: script(calls, "Tried, too."),
    });
    const { haft, cwd } = await agentSession(places, model, {
      mode: "bypassPermissions",
      rules: { deny: ["write(docs/x.md)"] },
    });
    writeFileSync(join(cwd, "b.ts"), "b");
    await haft.call("Write", { file_path: "src/a.ts", content: "a" });
    await haft.call("Agent", agent("Try", { effects: ["read(src/**)", "write(docs/**)"] }));
    for (const prompt of ["Try", "Below"]) {
      const last = model.requests.findLast(({ messages }) => JSON.stringify(messages[0]).includes(prompt))!;
      const results = last.messages.flatMap((message) => (message.role === "results" ? message.results : []));
      expect(results.slice(0, 6).map(({ status }) => status)).toEqual([
        "ok",
        "error",
        "denied",
        "error",
        "error",
        "ok",
      ]);
      expect(contentsText(results[3]!.content)).toContain(`does not include write(${join(cwd, "src/x.ts")})`);
    }
  });

  it("S09 an unreadable bound, a negative budget, and money without a price start nothing", async () => {
    const { haft } = await agentSession(places, treeModel({ Go: script("Gone.") }));
    const code = async (more: object) => (await haft.call("Agent", agent("Go", more))).error?.code;
    expect(await code({ effects: ["everything"] })).toBe("invalid_input");
    expect(await code({ calls: -1 })).toBe("invalid_input");
    expect(await code({ money: 1 })).toBe("invalid_input");
    expect(haft.agents?.list()).toEqual([]);
  });

  it("S09 money is held where the settings know the price", async () => {
    const model = treeModel({
      Go: () => [finish("calls"), { type: "finish", reason: "calls", usage: { inputTokens: 100, outputTokens: 100 } }],
    });
    const settings = { toolAgent: { prices: { "test/scripted": { input: 1, output: 1_000_000 } } } };
    const { haft } = await agentSession(places, model, { settings });
    const { error } = await haft.call("Agent", agent("Go", { money: 10 }));
    expect(error?.message).toContain("too little money left");
    expect(model.requests).toEqual([]);
    expect((await haft.call("Agent", agent("Go", { money: 100_000 }))).error?.message).not.toContain("money");
  });

  it("S09 tokens that do not suffice for another turn may suffice for its last words, without tools", async () => {
    const usage = { inputTokens: 6_000, outputTokens: 100 };
    const model = treeModel({ Go: () => [calls("k", ...list), { type: "finish", reason: "calls", usage }] });
    const { haft } = await agentSession(places, model);
    const { output, error } = await haft.call("Agent", agent("Go", { tokens: 15_000 }));
    expect(error?.message).toContain("too few tokens left: 6100 of 15000 are spent");
    expect(output).toMatchObject({ text: "last words", status: "failed" });
    expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false]);
  });

  it("V05 maxToolCalls, timeoutMs and maxAgents of the settings hold every agent", async () => {
    const model = treeModel({ Many: script(turn(list, list, list)), Slow: endless });
    const { haft } = await agentSession(places, model, {
      settings: { toolAgent: { maxToolCalls: 2, timeoutMs: 50, maxAgents: 2 } },
    });
    expect((await haft.call("Agent", agent("Many"))).error?.message).toMatch(/2 of 2 are spent|timeout was reached/);
    const slow = await haft.call("Agent", agent("Slow"));
    expect(slow.error?.message).toContain("Its timeout was reached");
    expect(slow.output).toMatchObject({ text: "last words" });
    expect((await haft.call("Agent", agent("Slow"))).error).toMatchObject({ code: "limit_reached" });
  });

  it("S09 no tree of random trees spends more than its budget", async () => {
    const { trees, over, spent } = await budgetTrees(places, 20);
    expect({ trees, over }).toEqual({ trees: 20, over: [] });
    expect(spent).toBeGreaterThan(0);
  });
});
