import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contentsText, defineTool, effects, text } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runs } from "../../../../../test/support/runs.ts";
import { webServer } from "../../../../host/test/support/web-server.ts";
import { agentSessions } from "../../../test/support/agent-sessions.ts";
import { calls, finish, says } from "../../../test/support/scripted-model.ts";
import { callsOf, type Message, type ModelEvent, repaired, userMessage } from "../../agent/index.ts";
import type { AgentSession } from "../session.ts";
import { storedSessions } from "../stored/stored-sessions.ts";
import { looksLikeRequest } from "./compactor.ts";
import { joined, splitConversation } from "./split.ts";

const sessions = agentSessions("compact");
const words = (message: Message | undefined) => (message?.role === "user" ? contentsText(message.content) : "");
const fileOf = ({ haft }: AgentSession) => join(dirname(haft.session.path!), "conversation.jsonl");
const finished = (inputTokens: number, reason: "calls" | "stop" = "calls"): ModelEvent => ({
  type: "finish",
  reason,
  usage: { inputTokens, outputTokens: 10 },
});
/** Reads an address. */
const Fetch = defineTool({
  name: "Fetch",
  description: "Reads an address.",
  input: z.object({ url: z.string().describe("The address.") }),
  can: ["connect"],
  effects: ({ url }) => [effects.connect(url, { sends: false })],
  run: async ({ url }, { ports }) => (await ports.net.fetch(url)).text(),
});

const long = "x".repeat(30_000);

describe("compaction", () => {
  it("E25 /compact that is stopped says so, and the conversation is kept", async () => {
    const stopped = async () => session.interrupt();
    const aborted = { type: "error", error: new DOMException("interrupted by the user", "AbortError") } as const;
    const { session, events } = await sessions.open([says("First."), says("Second."), [stopped, aborted]]);
    await session.prompt("First request.");
    await session.prompt("Second request.");
    const before = session.messages;
    const command = session.commands().find(({ name }) => name === "compact")!;
    expect(await command.run("")).toEqual({ text: "The summary was stopped. The conversation is kept as it was." });
    expect(session.messages).toEqual(before);
    expect(session.status).toBe("idle");
    expect(events.map(({ type }) => type)).not.toContain("compacted");
  });

  it("E25 /compact replaces the conversation with a summary, keeps the last request, and the file keeps all", async () => {
    const { options } = sessions.make();
    const { session, model, events } = await sessions.open(
      [says("First answer."), says("Second answer."), says("SUMMARY"), says("Third answer.")],
      options,
    );
    await session.prompt("First request.");
    await session.prompt("[Second] request, word for word.");
    const command = session.commands().find(({ name }) => name === "compact")!;
    expect(await command.run("names of files")).toMatchObject({ text: expect.stringContaining("2 messages") });
    const [asked] = model.requests[2]!.messages;
    expect(words(asked)).toMatch(/USER: First request\.[\s\S]*AGENT: First answer\.[\s\S]*names of files/);
    expect(model.requests[2]!.tools).toEqual([]);
    expect(words(session.messages[0])).toMatch(/This summary replaces 2 earlier messages[\s\S]*SUMMARY/);
    expect(session.messages.slice(1).map((message) => words(message))).toEqual([
      "[Second] request, word for word.",
      "",
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "compacted", summary: "SUMMARY", reason: "asked" }));
    await session.prompt("Third request.");
    expect(JSON.stringify(model.requests[3]!.messages)).not.toContain("First answer.");
    const file = readFileSync(fileOf(session), "utf8");
    for (const kept of ["First answer.", "SUMMARY", "Third answer."]) expect(file).toContain(kept);
    await session[Symbol.asyncDispose]();
    // A list of sessions shows what the conversation began with, and not the words of the summary.
    expect(storedSessions(options)).toMatchObject([{ title: "First request." }]);
    const { session: later } = await sessions.open([], { ...options, resume: "last" });
    expect(words(later.messages[0])).toContain("SUMMARY");
    expect(later.messages).toHaveLength(5);
  });

  it("E25 a conversation that fills the context is summarized in the middle of a run; the request stays", async () => {
    const { options, cwd } = sessions.make();
    writeFileSync(join(cwd, "a.txt"), "a line of forty characters, more or less\n".repeat(3_000));
    const read = (id: string) => calls(id, "Read", { file_path: "a.txt", offset: Number(id.slice(1)) });
    const { session, model } = await sessions.open(
      [[read("c1"), finished(100)], [read("c2"), finished(900)], says("SUMMARY"), says("Done.")],
      { ...options, settings: { compaction: { contextTokens: 1000 } }, settingsFiles: false },
    );
    expect(await session.prompt("Read it all.")).toMatchObject({ reason: "answered", text: "Done." });
    const sent = model.requests[3]!.messages;
    expect(words(sent[0])).toContain("SUMMARY");
    expect(words(sent[1])).toBe("Read it all.");
    expect(repaired(sent)).toBe(sent);
    expect(session.usage.contextTokens).toBeUndefined();
  });

  it("E25 one that is too long for the model is summarized and sent again", async () => {
    const { session, model, events } = await sessions.open([
      says(long),
      [{ type: "error", error: Object.assign(new Error("prompt is too long"), { statusCode: 400 }) }],
      says("SUMMARY"),
      says("Done."),
    ]);
    await session.prompt("First.");
    expect(await session.prompt("Second.")).toMatchObject({ reason: "answered", text: "Done." });
    expect(words(model.requests[3]!.messages[1])).toBe("Second.");
    expect(events).toContainEqual(expect.objectContaining({ type: "compacted", reason: "full" }));
  });

  it("E25 resumed and compacted again it keeps both records in the file, and the model gets neither", async () => {
    await using server = await webServer({ "/": "what a stranger wrote\n" });
    const options = {
      ...sessions.make().options,
      ...{ tools: [Fetch], rules: { allow: ["Fetch"] }, settingsFiles: false as const },
      settings: { web: { privateHosts: ["127.0.0.1"] } },
    };
    const first = await sessions.open(
      [
        [calls("c1", "Fetch", { url: `${server.origin}/` }), finish()],
        says("First answer."),
        says("Two."),
        says("SUMMARY ONE"),
      ],
      options,
    );
    await first.session.prompt("First request.");
    await first.session.prompt("Second request.");
    await first.session.compact();
    const quoted = words(first.session.messages[0]).split("\n")[1];
    await first.session[Symbol.asyncDispose]();
    const { session, model } = await sessions.open([says("Three."), says("SUMMARY TWO"), says("Four.")], {
      ...options,
      resume: "last",
    });
    await session.prompt("Third request.");
    await session.compact();
    await session.prompt("Fourth request.");
    const file = fileOf(session);
    const sent = JSON.stringify(model.requests.map(({ messages, system }) => [messages, system]));
    expect(words(model.requests[1]!.messages[0])).toContain("SUMMARY ONE");
    for (const dropped of ["First answer.", "what a stranger wrote"]) expect(sent).not.toContain(dropped);
    const note = words(model.requests[2]!.messages[0]);
    expect(note).toContain(`They are in ${file}.`);
    expect(note).toContain("SUMMARY TWO");
    expect(quoted).toMatch(/^\[Parts of it come from files/);
    expect(note.split("\n")[1]).toBe(quoted);
    const stored = readFileSync(file, "utf8").trim().split("\n");
    const records = stored.map((line) => JSON.parse(line)).filter(({ t }) => t === "compacted");
    expect(records.map(({ summary }) => summary)).toEqual(["SUMMARY ONE", "SUMMARY TWO"]);
    const lineWith = (text: string) => stored.findIndex((line) => line.includes(text));
    expect(lineWith("what a stranger wrote")).toBeGreaterThan(-1);
    expect(lineWith("what a stranger wrote")).toBeLessThan(lineWith("SUMMARY ONE"));
  });

  it("E25 settings decline it; a failing summary leaves the conversation as it is, and a notice says so", async () => {
    const { options } = sessions.make();
    const full = {
      ...options,
      settings: { compaction: { auto: false, contextTokens: 10 } },
      settingsFiles: false as const,
    };
    const off = await sessions.open([[...says("One.").slice(0, 2), finished(900, "stop")], says("Two.")], full);
    await off.session.prompt("First.");
    await off.session.prompt("Second.");
    expect(off.model.requests).toHaveLength(2);
    const on = await sessions.open(
      [[...says("One.").slice(0, 2), finished(900, "stop")], [finish("stop")], says("Two.")],
      { ...full, settings: { compaction: { contextTokens: 10 } } },
    );
    await on.session.prompt("First.");
    expect(await on.session.prompt("Second.")).toMatchObject({ text: "Two." });
    expect(JSON.stringify(on.model.requests[2]!.messages)).toContain("First.");
    expect(on.events).toContainEqual(
      expect.objectContaining({ type: "notice", notice: expect.objectContaining({ code: "compaction" }) }),
    );
  });

  it("E23 a PreCompact hook is called, may add instructions, and may refuse", async () => {
    const { options, cwd } = sessions.make();
    const hook = (command: string) => ({
      hooks: { PreCompact: [{ matcher: "manual", hooks: [{ type: "command", command }] }] },
    });
    const open = (command: string) =>
      sessions.open([says("One."), says("Two."), says("SUMMARY")], {
        ...options,
        settings: hook(command) as never,
        settingsFiles: false,
      });
    const { session } = await open(`cat > ${join(cwd, "heard.json")}; echo 'not now' >&2; exit 2`);
    await session.prompt("First.");
    await session.prompt("Second.");
    await expect(session.compact("be short")).rejects.toThrow(/not now/);
    expect(session.messages).toHaveLength(4);
    expect(session.status).toBe("idle");
    expect(JSON.parse(readFileSync(join(cwd, "heard.json"), "utf8"))).toMatchObject({
      hook_event_name: "PreCompact",
      trigger: "manual",
      custom_instructions: "be short",
    });
  });

  it("E25 with nothing to summarize it refuses", async () => {
    const { session } = await sessions.open([says("One.")]);
    await expect(session.compact()).rejects.toThrow(/nothing to summarize/);
    await session.prompt("First.");
    await expect(session.compact()).rejects.toThrow(/nothing to summarize/);
  });

  it("E25 calls keep their results and the last request stays, in any conversation", () => {
    const turn = fc.record({ size: fc.integer({ min: 0, max: 30_000 }), stranger: fc.boolean(), calls: fc.nat(2) });
    const message = fc.oneof(fc.constantFrom("ask", "[news]"), turn);
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (plan) => {
        const messages = plan.flatMap((one, at): Message[] => {
          if (typeof one === "string") return [userMessage(`${one} ${at}`)];
          const ids = Array.from({ length: one.calls }, (_, n) => `c${at}-${n}`);
          const parts = ids.map((id) => ({ type: "tool-call" as const, id, tool: "T", input: {} }));
          const results = ids.map((callId) => ({
            ...{ callId, tool: "T", status: "ok" as const, content: [text("y".repeat(one.size))] },
          }));
          const said = { role: "assistant" as const, parts: [{ type: "text" as const, text: "a" }, ...parts] };
          return results.length > 0 ? [said, { role: "results", results }] : [said];
        });
        const split = splitConversation(messages, looksLikeRequest);
        if (!split) return;
        const shorter = joined(split, "S", undefined);
        expect(repaired(shorter)).toBe(shorter);
        const last = messages.findLast(looksLikeRequest);
        if (last) expect(shorter).toContain(last);
        expect(split.removed.length + split.latest.length + (split.request ? 1 : 0)).toBe(messages.length);
        expect(shorter.flatMap(callsOf).length).toBeLessThanOrEqual(messages.flatMap(callsOf).length);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("a session that a crash ended", () => {
  it("E25 closes its open calls as unknown, makes none of them again, and reads past broken lines", async () => {
    const { options } = sessions.make();
    const first = await sessions.open([says("One.")], options);
    await first.session.prompt("First.");
    const file = fileOf(first.session);
    await first.session[Symbol.asyncDispose]();
    const part = { type: "tool-call", id: "c9", tool: "Write", input: { file_path: "a.txt", content: "a" } };
    appendFileSync(file, `{"t":"message","message":{"ro\n`);
    appendFileSync(
      file,
      `${JSON.stringify({ t: "message", message: { role: "assistant", parts: [part] } })}\n{"t":"mes`,
    );
    const notices: string[] = [];
    const again = await sessions.open([says("Two.")], {
      ...options,
      resume: "last",
      onNotice: ({ code, message }) => notices.push(`${code}: ${message}`),
    });
    expect(notices).toEqual([expect.stringMatching(/^conversation: 2 lines of .* could not be read/)]);
    expect(again.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "results"]);
    expect(JSON.stringify(again.session.messages.at(-1))).toContain("The session ended before this call had a result");
    expect(again.events.filter(({ type }) => type.startsWith("tool:"))).toEqual([]);
    expect(await again.session.prompt("Second.")).toMatchObject({ reason: "answered" });
  });

  it("E25 a file that is cut off at any byte opens, and a later message is stored", async () => {
    const { options } = sessions.make();
    const first = await sessions.open(
      [[calls("c1", "Glob", { pattern: "*" }), finish()], says("Nothing here."), says("Two.")],
      options,
    );
    await first.session.prompt("What is here?");
    await first.session.prompt("And now?");
    const file = fileOf(first.session);
    await first.session[Symbol.asyncDispose]();
    const whole = readFileSync(file);
    const firstLine = whole.indexOf("\n");
    const resume = { ...options, resume: first.session.id, onNotice: () => {} };
    for (let cut = 1; cut < whole.length; cut += Math.ceil(whole.length / 12)) {
      writeFileSync(file, whole.subarray(0, cut));
      if (cut < firstLine) {
        await expect(sessions.open([], resume)).rejects.toThrow("has no conversation");
        continue;
      }
      const second = await sessions.open([says("Here.")], resume);
      expect(await second.session.prompt(`After ${cut}.`)).toMatchObject({ reason: "answered" });
      const said = JSON.stringify(second.session.messages);
      await second.session[Symbol.asyncDispose]();
      const third = await sessions.open([], resume);
      expect(JSON.stringify(third.session.messages)).toBe(said);
      expect(said).toContain(`After ${cut}.`);
      await third.session[Symbol.asyncDispose]();
    }
  });
});
