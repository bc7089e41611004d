import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editorClients, texts } from "../../test/support/editor-client.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";

const { places, connect, closeAll } = editorClients("acp");

describe("haft acp", () => {
  it("E16 says what it can, and offers modes both ways", async () => {
    const { agent, start, updates } = connect([]);
    const started = await agent.request("initialize", { protocolVersion: 1 });
    expect(started).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "haft" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } },
    });
    const opened = await start();
    expect(opened.modes?.availableModes.map(({ id }) => id)).toContain("plan");
    expect(opened.configOptions?.map(({ id, category }) => [id, category])).toEqual([
      ["mode", "mode"],
      ["model", "model"],
    ]);
    await expect.poll(() => updates.map(({ sessionUpdate }) => sessionUpdate)).toContain("available_commands_update");
    expect(JSON.stringify(updates)).toContain('"undo"');
  });

  it("E16 shows a read as it happens, with kind, file and result, and streams the answer", async () => {
    const { start, prompt, updates, ofCall, cwd } = connect([
      [calls("c1", "Read", { file_path: "a.txt" }), finish()],
      says("It holds alpha."),
    ]);
    writeFileSync(join(cwd, "a.txt"), "alpha\n");
    const { sessionId } = await start();
    expect(await prompt(sessionId, "What is in a.txt?")).toEqual({ stopReason: "end_turn" });
    const steps = ofCall("c1");
    expect(steps[0]).toMatchObject({ sessionUpdate: "tool_call", name: "Read", status: "pending" });
    expect(steps).toContainEqual(
      expect.objectContaining({ kind: "read", locations: [expect.objectContaining({ path: join(cwd, "a.txt") })] }),
    );
    expect(steps.at(-1)).toMatchObject({ status: "completed" });
    expect(JSON.stringify(steps.at(-1))).toContain("alpha");
    expect(texts(updates, "agent_message_chunk")).toContain("It holds alpha.");
  });

  it("F28 nothing happens before the answer, and the question shows the whole command", async () => {
    const command = `touch made.txt && echo '${"x".repeat(300)}' > long.txt`;
    let before: string | undefined;
    const { start, prompt, asked, cwd } = connect(
      [[calls("c1", "Bash", { command }), finish()], says("Done.")],
      async () => {
        before = await Promise.resolve(readable(join(cwd, "made.txt")));
        return "allow";
      },
    );
    const { sessionId } = await start();
    await prompt(sessionId, "Go.");
    expect(before).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0]!.toolCall.content)).toContain("x".repeat(300));
    expect(JSON.stringify(asked[0]!.toolCall.content)).toContain("touch made.txt");
    const shown = asked[0]!.toolCall.content!.map((content) => JSON.stringify(content));
    expect(shown).toEqual([...new Set(shown)]);
    expect(asked[0]!.toolCall).toMatchObject({ toolCallId: "c1", kind: "execute", rawInput: { command } });
    expect(readable(join(cwd, "made.txt"))).toBe("");
  });

  it("F28 an edit is asked about by its diff; a no and a cancelled question change nothing", async () => {
    for (const choice of ["deny", "stop", "always-99", undefined]) {
      const { start, prompt, asked, ofCall, cwd } = connect(
        [
          [calls("c0", "Read", { file_path: "a.txt" }), finish()],
          [calls("c1", "Edit", { file_path: "a.txt", old_string: "alpha", new_string: "beta" }), finish()],
          says("Understood."),
        ],
        () => choice,
      );
      writeFileSync(join(cwd, "a.txt"), "alpha\n");
      const { sessionId } = await start();
      await prompt(sessionId, "Change it.");
      expect(asked[0]!.toolCall.content?.[0]).toMatchObject({ type: "diff", oldText: "alpha\n", newText: "beta\n" });
      expect(ofCall("c1").at(-1)).toMatchObject({ status: "failed" });
      expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("alpha\n");
    }
  });

  it("F28 a question shows effects that its command does not name, and the losses", async () => {
    const { start, prompt, asked, cwd } = connect(
      [[calls("c1", "Bash", { command: "rm -r old && ls", description: "Tidy" }), finish()], says("Done.")],
      () => "deny",
    );
    mkdirSync(join(cwd, "old"));
    const { sessionId } = await start();
    await prompt(sessionId, "Go.");
    const shown = asked[0]!.toolCall.content!.map((one) => (one.type === "content" ? one.content : one));
    expect(shown).toMatchObject([
      { text: expect.stringContaining("$ rm -r old && ls") },
      { text: expect.stringContaining(`This deletes, overwrites or sends.\n- delete ${join(cwd, "old")}/**`) },
      { text: expect.stringMatching(/^Asked because: /) },
    ]);
  });

  it("F28 an answer for always saves the rule that the option names", async () => {
    const run = (id: string) => [calls(id, "Bash", { command: "npm run build" }), finish()];
    const { start, prompt, asked } = connect([run("c1"), run("c2"), says("Done.")], ({ options }) => {
      const always = options.find(({ kind }) => kind === "allow_always");
      // The name has the rule once.
      expect(always?.name.match(/\S+\(.*?\)/g)).toHaveLength(1);
      expect(always?.name).toContain("Bash(npm run build");
      return always?.optionId;
    });
    const { sessionId } = await start();
    await prompt(sessionId, "Build twice.");
    expect(asked).toHaveLength(1);
  });

  it("E16 a cancelled turn ends as cancelled, also while it asks", async () => {
    const reached = Promise.withResolvers<void>();
    const { agent, start, prompt } = connect([[calls("c1", "Bash", { command: "touch x" }), finish()]], () => {
      reached.resolve();
      return new Promise<undefined>(() => {});
    });
    const { sessionId } = await start();
    const turn = prompt(sessionId, "Go.");
    await reached.promise;
    await agent.notify("session/cancel", { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  it("F28 an editor that goes away in the middle of a question leaves nothing behind", async () => {
    const reached = Promise.withResolvers<void>();
    const edit = { file_path: "made.txt", content: "x" };
    const { start, prompt, cwd } = connect([[calls("c1", "Write", edit), finish()], says("Done.")], () => {
      reached.resolve();
      return new Promise<undefined>(() => {});
    });
    const { sessionId } = await start();
    const turn = prompt(sessionId, "Go.").catch(() => "gone");
    await reached.promise;
    closeAll();
    expect(await turn).toBe("gone");
    expect(readable(join(cwd, "made.txt"))).toBeUndefined();
  });

  it("E16 modes and settings change at once; unknown ones are refused with the reason", async () => {
    const { agent, start, updates } = connect([]);
    const { sessionId } = await start();
    await agent.request("session/set_mode", { sessionId, modeId: "plan" });
    await expect.poll(() => updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
    const { configOptions } = await agent.request("session/set_config_option", {
      ...{ sessionId, configId: "mode", value: "acceptEdits" },
    });
    expect(configOptions[0]).toMatchObject({ currentValue: "acceptEdits" });
    await expect(agent.request("session/set_mode", { sessionId, modeId: "none" })).rejects.toThrow("no such");
    await expect(agent.request("session/prompt", { sessionId: "none", prompt: [] })).rejects.toThrow("no such session");
    await expect(agent.request("session/new", { cwd: "here", mcpServers: [] })).rejects.toThrow("absolute");
  });

  it("E16 commands run without the model, and undo takes an edit back", async () => {
    const { start, prompt, updates, model, cwd } = connect([
      [calls("c1", "Write", { file_path: "new.txt", content: "new\n" }), finish()],
      says("Written."),
    ]);
    const { sessionId } = await start();
    await prompt(sessionId, "Write it.");
    expect(readable(join(cwd, "new.txt"))).toBe("new\n");
    const before = model.requests.length;
    expect(await prompt(sessionId, "/undo")).toEqual({ stopReason: "end_turn" });
    expect(model.requests).toHaveLength(before);
    expect(readable(join(cwd, "new.txt"))).toBeUndefined();
    expect(texts(updates, "agent_message_chunk")).toContain("new.txt");
  });

  it("E16 a session is listed, loaded with its history, resumed and forked", async () => {
    const place = places.make();
    const first = connect([[calls("c1", "Glob", { pattern: "*" }), finish()], says("Alpha.")], undefined, place);
    const { sessionId } = await first.start();
    await first.prompt(sessionId, "First words.");
    await first.agent.request("session/close", { sessionId });

    const second = connect([says("Beta.")], undefined, place);
    await second.agent.request("initialize", { protocolVersion: 1 });
    const { sessions } = await second.agent.request("session/list", { cwd: place.cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd: place.cwd, title: "First words." }]);
    const opened = await second.agent.request("session/load", { sessionId, cwd: place.cwd, mcpServers: [] });
    expect(opened.modes?.currentModeId).toBe("default");
    expect(texts(second.updates, "user_message_chunk")).toContain("First words.");
    expect(texts(second.updates, "agent_message_chunk")).toContain("Alpha.");
    expect(second.ofCall("c1")).toMatchObject([{ sessionUpdate: "tool_call", status: "completed" }]);
    const forked = await second.start({ _meta: { "haft/fork": sessionId } });
    expect(forked.sessionId).not.toBe(sessionId);
    await second.prompt(forked.sessionId, "And now?");
    expect(JSON.stringify(second.model.requests[0]!.messages)).toContain("First words.");
  });

  it("E16 a list of tasks is the plan, and live output of a command arrives while it runs", async () => {
    const todos = [{ content: "One", status: "in_progress", activeForm: "Doing one" }];
    const { start, prompt, updates, ofCall } = connect([
      [calls("c0", "ToolSearch", { query: "select:TodoWrite" }), finish()],
      [calls("c1", "TodoWrite", { todos }), calls("c2", "Bash", { command: "echo from the command" }), finish()],
      [calls("c3", "Bash", { command: String.raw`printf '1%%\r100%%\n\033]0;title\007\033[31mred\n'` }), finish()],
      says("Done."),
    ]);
    const { sessionId } = await start();
    await prompt(sessionId, "Plan.");
    expect(updates).toContainEqual({
      sessionUpdate: "plan",
      entries: [{ content: "One", status: "in_progress", priority: "medium" }],
    });
    expect(JSON.stringify(ofCall("c2"))).toContain("from the command");
    const [last] = ofCall("c3")
      .flatMap((update) => ("content" in update && update.content ? [update.content] : []))
      .slice(-1);
    expect(JSON.stringify(last)).toContain(String.raw`\n1%\n100%\nred`);
  });

  it("E16 the editor is told the tokens in the context, and the cost where the model has a price", async () => {
    const usage = { inputTokens: 300, outputTokens: 20 };
    const turns = () => [[...says("One.").slice(0, 2), { type: "finish", reason: "stop", usage } as const]];
    const told = async (settings: object) => {
      const place = places.make();
      const options = { ...place.options, settings, settingsFiles: false } as const;
      const { start, prompt, updates } = connect(turns(), undefined, { ...place, options });
      const { sessionId } = await start();
      await prompt(sessionId, "Go.");
      return updates.find(({ sessionUpdate }) => sessionUpdate === "usage_update");
    };
    const prices = { "test/scripted": { input: 1_000_000, output: 2_000_000 } };
    const priced = await told({ toolAgent: { prices } });
    expect(priced).toMatchObject({ used: 320, cost: { amount: 340, currency: "USD" } });
    expect(await told({})).not.toHaveProperty("cost");
  });
});

function readable(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
