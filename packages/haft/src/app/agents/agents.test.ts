import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentSession, endless, promptOf, script, treeModel, turn } from "../../../test/support/agents.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { userMessage } from "../../agent/index.ts";
import { runOn } from "../../session/run-on.ts";

const places = sessionPlaces("agents");
const textOf = ({ content }: Result) => contentsText(content);
const agent = (prompt: string, more: object = {}) => ({ description: "a part", prompt, ...more });

describe("Agent", () => {
  it("S01 works in a context of its own, and only its answer comes back", async () => {
    const model = treeModel({ "Find it": script(turn(["Read", { file_path: "a.txt" }]), "It is alpha.") });
    const { haft, cwd } = await agentSession(places, model);
    writeFileSync(join(cwd, "a.txt"), "alpha");
    const result = await haft.call("Agent", agent("Find it."));
    expect(textOf(result)).toMatch(/^It is alpha\.\n\n\[Agent a1 completed after .*; 1 call\]$/);
    expect(result.output).toMatchObject({
      id: "a1",
      type: "general",
      calls: 1,
      status: "completed",
      model: "test/scripted",
    });
    const [first, second] = model.requests;
    expect(first?.messages).toHaveLength(1);
    expect(first?.system).toContain("it gets your last message and nothing else");
    expect(JSON.stringify(second?.messages)).toContain("alpha");
  });

  it("S01 answers to the name Task, knows other systems' names, and lists the kinds for an unknown one", async () => {
    const { haft } = await agentSession(places, treeModel({ Go: script("Gone.") }));
    expect((await haft.call("Task", agent("Go", { subagent_type: "general-purpose" }))).error).toBeUndefined();
    const { error } = await haft.call("Agent", agent("Go", { subagent_type: "explorer" }));
    expect(error).toMatchObject({ code: "invalid_input", hint: "Agents: general, explore, plan." });
    expect(error?.message).toContain("Did you mean explore?");
    const { tools } = await haft.offer();
    const { description } = tools.find(({ name }) => name === "Agent")!;
    for (const kind of ["- general:", "- explore:", "- plan:"]) expect(description).toContain(kind);
  });

  it.each(["explore", "Explore"])(
    "F14 a rule about an agent holds by all of its names: deny Agent(%s)",
    async (rule) => {
      const model = treeModel({ Go: script("Gone.") });
      const { haft } = await agentSession(places, model, { rules: { deny: [`Agent(${rule})`] } });
      for (const type of ["explore", "Explore"])
        expect((await haft.call("Agent", agent("Go", { subagent_type: type }))).error?.code).toBe("denied_by_rule");
      expect((await haft.call("Agent", agent("Go"))).error).toBeUndefined();
    },
  );

  it("S01 without a model there is no such tool", async () => {
    const haft = await places.open(places.make().options);
    expect((await haft.call("Agent", agent("Go"))).error?.code).toBe("tool_unavailable");
    expect(haft.agents).toBeUndefined();
  });

  it("S01 agents from files: tools, model and mode of the head count; a file that is none is named; project files after trust", async () => {
    const model = treeModel({
      Look: script(turn(["Write", { file_path: "x", content: "x" }], ["Read", { file_path: "a.txt" }]), "Seen."),
    });
    const place = places.make("work/.git", "work/.claude/agents", "home/.claude/agents", "work/.haft/agents");
    const put = (path: string, text: string) => writeFileSync(join(place.base, path), text);
    put("work/a.txt", "alpha");
    put(
      "work/.claude/agents/r.md",
      "\uFEFF---\r\nname: reader\r\ndescription: Reads.\r\ntools: Read, Grep, Nowhere\r\nmodel: small\r\ntemperature: 1\r\n---\r\nYou only read.\r\n",
    );
    put("home/.claude/agents/helper.md", "---\nname: helper\ndescription: Helps.\n---\nYou help.");
    put("work/.haft/agents/bad.md", "---\nname: [\n---\nx");
    const notices: string[] = [];
    const options = {
      ...place.options,
      settings: undefined as never,
      model: "test/scripted",
      openModel: () => model,
      onNotice: ({ message }: { message: string }) => void notices.push(message),
    };
    const trusted = await places.open({ ...options, trusted: true });
    const result = await trusted.call("Agent", agent("Look.", { subagent_type: "reader" }));
    expect(result.error).toBeUndefined();
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Read", "Grep"]));
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("Write");
    expect(model.requests[0]?.system).toContain("You only read.");
    expect(result.output).toMatchObject({ calls: 2, failedCalls: 1 });
    expect(notices.join("\n")).toMatch(/bad\.md defines no agent/);
    expect(notices.join("\n")).toMatch(/r\.md: temperature has no effect/);
    const plain = await places.open(options);
    const names = plain.agents?.types().map(({ name }) => name);
    expect(names).toContain("helper");
    expect(names).not.toContain("reader");
  });

  it("S10 explore and plan change nothing, with any rights of the parent; no subagent talks to the user or leaves plan mode", async () => {
    const model = treeModel({
      Try: script(
        turn(
          ["Bash", { command: "echo x > x.txt" }],
          ["ExitPlanMode", { plan: "x" }],
          ["AskUserQuestion", { questions: [] }],
        ),
        "Tried.",
      ),
    });
    const { haft } = await agentSession(places, model, { mode: "bypassPermissions" });
    const { output } = await haft.call("Agent", agent("Try.", { subagent_type: "Explore" }));
    expect(output).toMatchObject({ calls: 3, failedCalls: 3, filesModified: [] });
    const names = model.requests[0]!.tools.map(({ name }) => name);
    for (const name of ["Write", "Edit", "AskUserQuestion", "ExitPlanMode", "EnterWorktree", "Config"])
      expect(names).not.toContain(name);
  });

  it("S13 model and provider: the parent's, else that of the settings; another provider only by its name there", async () => {
    const opened: string[] = [];
    const model = treeModel({ Go: script("Gone.") });
    const place = places.make("home/.config/haft");
    const settings = { toolAgent: { models: { haiku: "other/small" } } };
    writeFileSync(join(place.base, "home/.config/haft/settings.json"), JSON.stringify(settings));
    const open = {
      ...place.options,
      settings: undefined as never,
      model: "test/big",
      openModel: (name: string) => {
        opened.push(name);
        return model;
      },
    };
    const haft = await places.open(open);
    for (const wanted of [undefined, "inherit", "haiku", "test/mini", "sonnet"])
      await haft.call("Agent", agent("Go", wanted === undefined ? {} : { model: wanted }));
    expect(opened).toEqual(["test/big", "test/big", "other/small", "test/mini", "test/big"]);
    expect((await haft.call("Agent", agent("Go", { model: "elsewhere/x" }))).error?.code).toBe("invalid_input");
    writeFileSync(
      join(place.base, "home/.config/haft/settings.json"),
      JSON.stringify({ toolAgent: { providerId: "p", model: "m" } }),
    );
    const second = await places.open(open);
    await second.call("Agent", agent("Go"));
    expect(opened.at(-1)).toBe("p/m");
  });

  it("S15 several of one turn run side by side; one that fails or is refused leaves the others alone", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meet =
      (mine: number): (() => Promise<unknown>) =>
      () => {
        gates[mine]!.resolve();
        return gates[1 - mine]!.promise;
      };
    const model = treeModel({
      One: script([meet(0), ...turn(["Read", { file_path: "none" }])], "First."),
      Two: script([meet(1), ...turn(["Read", { file_path: "none" }])], "Second."),
      Bad: () => [{ type: "error", error: Object.assign(new Error("no such model"), { statusCode: 404 }) }],
    });
    const { haft } = await agentSession(places, model);
    const outcomes = await haft.run(
      ["One", "Two", "Bad"].map((prompt, index) => ({ id: `c${index}`, tool: "Agent", input: agent(prompt) })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "ok", "error"]);
    expect(outcomes[2]?.result.error).toMatchObject({ code: "agent_failed" });
    expect(outcomes[2]?.result.error?.message).toContain("no such model");
  });

  it("S15 100 agents at once are worked off, without a deadlock of places", async () => {
    const { haft } = await agentSession(places, treeModel({ Go: script(turn(["TaskList", {}]), "Gone.") }));
    const outcomes = await haft.run(
      Array.from({ length: 101 }, (_, index) => ({ id: `c${index}`, tool: "Agent", input: agent("Go") })),
    );
    expect(outcomes.filter(({ status }) => status === "ok")).toHaveLength(100);
    expect(outcomes.at(-1)?.result.error).toMatchObject({ code: "limit_reached" });
    expect(outcomes.at(-1)?.result.error?.message).toContain("100 of 100 are spent");
  });

  it("S15 aborting the parent ends all below, and every call has its result", async () => {
    const stop = new AbortController();
    const model = treeModel({
      Top: script(turn(["Agent", agent("Below")])),
      Below: (request, at) => {
        stop.abort();
        return endless(request, at);
      },
    });
    const { haft } = await agentSession(places, model);
    const result = await haft.call("Agent", agent("Top"), { signal: stop.signal });
    expect(result.error?.code).toBe("cancelled");
    expect(haft.agents?.list().map(({ id, status }) => [id, status])).toEqual([
      ["a1", "stopped"],
      ["a1.1", "stopped"],
    ]);
  });

  it("S15 a circle of agents and a fourth level are refused", async () => {
    const below = agent("Down");
    const model = treeModel({
      Down: script(turn(["Agent", below]), "Up."),
      Turn: script(turn(["Agent", agent("Turn", { subagent_type: "explore" })]), "Back."),
    });
    const { haft } = await agentSession(places, model);
    await haft.call("Agent", agent("Down"));
    expect(haft.agents?.list().map(({ id }) => id)).toEqual(["a1", "a1.1", "a1.1.1"]);
    await haft.call("Agent", agent("Turn", { subagent_type: "explore" }));
    expect(haft.agents?.list()).toHaveLength(4);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("would start another copy of itself");
  });

  it("S16 L07 L08 one in the background: a notice at its end, TaskOutput, TaskStop, and an unknown id names those that work", async () => {
    const gate = Promise.withResolvers<void>();
    const model = treeModel({
      Slow: script([() => gate.promise, ...turn(["TaskList", {}])], "Slow words."),
      Endless: endless,
    });
    const { haft } = await agentSession(places, model);
    const started = await haft.call("Agent", agent("Slow", { run_in_background: true, name: "snail" }));
    expect(textOf(started)).toContain("a1 works in the background");
    expect(textOf(await haft.call("TaskOutput", { task_id: "snail", block: false }))).toContain("[Agent a1 works");
    const unknown = await haft.call("TaskStop", { task_id: "j9" });
    expect(unknown.error?.hint).toBe("Running: a1 (snail).");
    gate.resolve();
    expect(textOf(await haft.call("TaskOutput", { task_id: "a1" }))).toMatch(/^Slow words\.\n\[Agent a1 completed/);
    await haft.call("Sleep", { seconds: 30 });
    expect(JSON.stringify(haft.mailbox.take())).toContain("Agent a1 (snail) has ended: completed");
    await haft.call("Agent", agent("Endless", { run_in_background: true }));
    expect(textOf(await haft.call("TaskStop", { task_id: "a2" }))).toContain("stopped");
    expect(promptOf(model.requests[0]!)).toBe("Slow");
  });

  it("S16 a run without a next turn waits for agents in the background and gets their notices", async () => {
    const gate = Promise.withResolvers<void>();
    const model = treeModel({
      Main: ({ messages }) => {
        if (messages.length === 1) return turn(["Agent", agent("Slow", { run_in_background: true })]);
        const isTold = JSON.stringify(messages.at(-1)).includes("Agent a1 (general) has ended: completed");
        if (!isTold) gate.resolve();
        return isTold ? "It has ended." : "Started.";
      },
      Slow: script([() => gate.promise, ...turn(["Ls", {}])], "Slow words."),
    });
    const { haft } = await agentSession(places, model);
    const signal = new AbortController().signal;
    const messages = [userMessage("Main")];
    const end = await runOn({ haft, model, messages, signal, waitsForAgents: true, onEvent: () => {} });
    expect(end).toMatchObject({ reason: "answered", text: "It has ended." });
  });

  it("S16 the end of the session ends agents in the background", async () => {
    const { haft } = await agentSession(places, treeModel({ Endless: endless }));
    await haft.call("Agent", agent("Endless", { run_in_background: true }));
    await haft[Symbol.asyncDispose]();
    expect(haft.agents?.list()).toMatchObject([{ id: "a1", status: "stopped" }]);
  });

  it("F14 a narrowed right stays narrowed below: an agent that a narrowed Haft starts has no more rights", async () => {
    const model = treeModel({
      Try: script(turn(["Read", { file_path: "a.txt" }], ["Glob", { pattern: "*" }]), "Tried."),
    });
    const { haft, cwd } = await agentSession(places, model);
    writeFileSync(join(cwd, "a.txt"), "alpha");
    mkdirSync(join(cwd, "sub"));
    const narrow = haft.with({ tools: ["Agent", "Glob"], rules: { deny: ["read(a.txt)"] } });
    const { output } = await narrow.call("Agent", agent("Try"));
    expect(output).toMatchObject({ calls: 2, failedCalls: 1 });
    expect(model.requests[0]?.tools.map(({ name }) => name).sort()).toEqual(["Agent", "Glob"]);
  });
});
