import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { calls, finish, says, scriptedModel } from "../../test/support/scripted-model.ts";
import type { SessionEvent } from "./index.ts";

const sessions = agentSessions("session");
const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type);
const textsIn = (messages: readonly object[]) => JSON.stringify(messages);

/** A promise that a test resolves. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { pass: () => promise, open: resolve };
}

describe("an agent session", () => {
  it("E25 sends a prompt and tells everything in one stream, from the prompt to the end", async () => {
    const { options, cwd } = sessions.make();
    writeFileSync(join(cwd, "a.txt"), "alpha");
    const { session, events } = await sessions.open(
      [[calls("c1", "Read", { file_path: "a.txt" }), finish()], says("It holds alpha.")],
      options,
    );
    expect(session.status).toBe("idle");
    const run = session.prompt("What is in a.txt?", { by: "ada" });
    expect(session.status).toBe("working");
    expect(await run).toMatchObject({ reason: "answered", text: "It holds alpha.", turns: 2 });
    expect(session.status).toBe("idle");
    const types = typesOf(events);
    expect(types.slice(0, 2)).toEqual(["status", "prompt"]);
    expect(types.at(-1)).toBe("status");
    for (const type of ["request", "model", "call", "tool:call:received", "tool:execution:complete", "message", "end"])
      expect(types).toContain(type);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "prompt", text: "What is in a.txt?", by: "ada", queued: false }),
    );
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "results", "assistant"]);
    expect(session.usage.requests).toBe(2);
  });

  it("E25 a prompt given while it works enters between two turns, and ends with the run that took it", async () => {
    const working = gate();
    const { session, model, events } = await sessions.open([
      [working.pass, calls("c1", "Glob", { pattern: "*" }), finish()],
      says("Both done."),
    ]);
    const first = session.prompt("First.");
    const second = session.prompt("Second.");
    const third = session.prompt("Third.");
    expect(session.queue.map(({ text }) => text)).toEqual(["Second.", "Third."]);
    expect(session.unqueue(session.queue[1]!.id)).toMatchObject({ text: "Third." });
    expect(await third).toMatchObject({ reason: "refused" });
    working.open();
    expect(await second).toBe(await first);
    expect(session.queue).toEqual([]);
    const seen = textsIn(model.requests[1]!.messages);
    expect(seen.indexOf("Second.")).toBeGreaterThan(seen.indexOf("callId"));
    expect(seen).not.toContain("Third.");
    const prompts = events.flatMap((event) => (event.type === "prompt" ? [[event.text, event.queued]] : []));
    expect(prompts).toEqual([
      ["First.", false],
      ["Second.", true],
      ["Third.", true],
      ["Second.", false],
    ]);
  });

  it("E25 a prompt that comes in the last turn of a run has turns of its own", async () => {
    const working = gate();
    const { options } = sessions.make();
    const { session, model } = await sessions.open(
      [[working.pass, calls("c1", "Glob", { pattern: "*" }), finish()], says("Second done.")],
      { ...options, maxTurns: 1 },
    );
    const first = session.prompt("First.");
    const second = session.prompt("Second.");
    working.open();
    expect(await first).toMatchObject({ reason: "max_turns" });
    expect(await second).toMatchObject({ reason: "answered", text: "Second done." });
    expect(textsIn(model.requests[1]!.messages)).toContain("Second.");
  });

  it("E25 an interruption ends the run, hands back what waited, and the next prompt goes on", async () => {
    const held = gate();
    const { session, model } = await sessions.open([[held.pass, ...says("Too late.")], says("Hello.")]);
    const first = session.prompt("First.");
    const second = session.prompt("Second.");
    await expect.poll(() => model.requests.length).toBe(1);
    expect(session.interrupt()).toMatchObject([{ text: "Second." }]);
    held.open();
    expect(await first).toMatchObject({ reason: "cancelled" });
    expect(await second).toMatchObject({ reason: "refused" });
    expect(await session.prompt("Third.")).toMatchObject({ reason: "answered", text: "Hello." });
    expect(textsIn(session.messages)).not.toContain("Second.");
    expect(session.interrupt()).toEqual([]);
  });

  it("E25 clear begins anew, and refuses while the agent works", async () => {
    const held = gate();
    const { session, model } = await sessions.open([says("One."), [held.pass, ...says("Two.")]]);
    await session.prompt("First.");
    session.clear();
    expect(session.messages).toEqual([]);
    const run = session.prompt("Second.");
    expect(() => session.clear()).toThrow(/working/);
    held.open();
    await run;
    expect(textsIn(model.requests[1]!.messages)).not.toContain("First.");
  });

  it("E25 the model can be changed between two prompts; one that cannot be opened changes nothing", async () => {
    const other = { ...scriptedModel([says("From the other.")]), name: "test/other" };
    const { options } = sessions.make();
    const openModel = (name: string) => (name === "test/other" ? other : Promise.reject(new Error(`no ${name}`)));
    const { session, events } = await sessions.open([says("From the first.")], { ...options, openModel });
    expect(session.model).toEqual({ name: "test/scripted" });
    expect(await session.prompt("Hi.")).toMatchObject({ text: "From the first." });
    await expect(session.setModel("test/none")).rejects.toThrow("no test/none");
    expect(session.model).toEqual({ name: "test/scripted" });
    await session.setModel("test/other");
    expect(events).toContainEqual({ type: "model-changed", model: { name: "test/other" } });
    expect(await session.prompt("Hi.")).toMatchObject({ text: "From the other." });
    expect(session.haft.model).toBe("test/other");
  });

  it("N06 a person changes the mode at once, and hears when a tool does", async () => {
    const { options } = sessions.make();
    const { session, events } = await sessions.open(
      [
        [calls("c0", "ToolSearch", { query: "select:EnterPlanMode" }), finish()],
        [calls("c1", "EnterPlanMode", {}), finish()],
        says("Planning."),
      ],
      {
        ...options,
        ask: async () => ({ behavior: "allow" }),
      },
    );
    await session.setMode("acceptEdits");
    expect((await session.haft.explain("Write", { file_path: "a.txt", content: "a" })).decision?.decision).toBe(
      "allow",
    );
    await session.prompt("Plan it.");
    expect(session.haft.mode).toBe("plan");
    expect((await session.haft.call("Write", { file_path: "a.txt", content: "a" })).error?.code).toBe("denied_by_mode");
    await session.setMode("default");
    const modes = events.flatMap((event) => (event.type === "mode" ? [event.mode] : []));
    expect(modes).toEqual(["acceptEdits", "plan", "default"]);
    await expect(session.haft.with({}).setMode("acceptEdits")).rejects.toMatchObject({ code: "denied_by_mode" });
  });

  it("E25 resume goes on with a conversation, fork with a copy of it", async () => {
    const { options } = sessions.make();
    await expect(sessions.open([], { ...options, resume: "last" })).rejects.toMatchObject({
      message: "This folder has no conversation yet.",
    });
    const first = await sessions.open([says("One.")], options);
    await first.session.prompt("First.");
    await first.session[Symbol.asyncDispose]();
    const fork = await sessions.open([says("Two.")], { ...options, resume: "last", fork: true });
    expect(fork.session.id).not.toBe(first.session.id);
    await fork.session.prompt("Second.");
    expect(textsIn(fork.model.requests[0]!.messages)).toContain("First.");
    const again = await sessions.open([], { ...options, resume: first.session.id });
    expect(again.session.id).toBe(first.session.id);
    expect(again.session.messages).toHaveLength(2);
    const forked = await sessions.open([], { ...options, resume: fork.session.id });
    expect(forked.session.messages).toHaveLength(4);
  });

  it("E25 a fork of a session that waits for an answer says so of the open call, which goes on in that session", async () => {
    const { options } = sessions.make();
    const asked = gate();
    const answered = gate();
    const ask = async () => {
      asked.open();
      await answered.pass();
      return { behavior: "allow" } as const;
    };
    const first = await sessions.open(
      [[calls("c1", "Write", { file_path: "a.txt", content: "x" }), finish()], says("Written.")],
      { ...options, ask },
    );
    const run = first.session.prompt("Write it.");
    await asked.pass();
    const fork = await sessions.open([says("Seen.")], { ...options, resume: first.session.id, fork: true });
    await fork.session.prompt("What is there?");
    const sent = textsIn(fork.model.requests[0]!.messages);
    expect(sent).toContain("copied");
    expect(sent).not.toContain("session ended");
    answered.open();
    expect(await run).toMatchObject({ reason: "answered", text: "Written." });
    await fork.session[Symbol.asyncDispose]();
    const again = await sessions.open([], { ...options, resume: fork.session.id });
    expect(again.session.messages).toEqual(fork.session.messages);
  });

  it("E25 without a model the session opens, and a prompt says what is missing", async () => {
    const { options } = sessions.make();
    const { model: _, ...none } = { model: undefined, ...options };
    const { session } = await sessions.open([], { ...none, model: undefined as never });
    expect(session.model).toBeUndefined();
    await expect(session.prompt("Hi.")).rejects.toMatchObject({ message: "No model is configured." });
    expect(session.status).toBe("idle");
  });

  it("E25 slash commands clear, change the mode and the model, and refuse what there is not", async () => {
    const { session } = await sessions.open([says("One.")]);
    const command = (name: string) => session.commands().find((one) => one.name === name)!;
    await session.prompt("First.");
    await command("clear").run("");
    expect(session.messages).toEqual([]);
    await command("mode").run("plan");
    expect(session.haft.mode).toBe("plan");
    await expect(command("mode").run("paln")).rejects.toMatchObject({ hint: expect.stringContaining("plan?") });
    expect(await command("model").run("")).toEqual({ text: expect.stringContaining("test/scripted") });
  });
});
