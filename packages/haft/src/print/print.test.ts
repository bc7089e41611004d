import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { serverEntry } from "../../test/support/mcp-workspace.ts";
import { printHost } from "../../test/support/print-host.ts";
import { calls, finish, type ScriptStep, says, scriptedModel } from "../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../test/support/session-places.ts";
import { readFlags, runPrint } from "./index.ts";

const places = sessionPlaces("print");
const patiently = { timeout: patience(10_000) };
type Reply = Parameters<typeof printHost>[3];
const host = (turns: readonly (readonly ScriptStep[])[], args?: readonly string[], reply?: Reply) =>
  printHost(places, turns, args, reply);

const bash = (id: string, command: string): ScriptStep[] => [calls(id, "Bash", { command }), finish()];
const write = (id: string): ScriptStep[] => [calls(id, "Write", { file_path: "made.txt", content: "" }), finish()];
const asksHost = ["--permission-prompt-tool", "stdio"];

describe("the stream of the Claude Agent SDK", () => {
  it("E16 begins with what the session has, and ends each run with a result", async () => {
    const it = host([[calls("c1", "Read", { file_path: "a.txt" }), finish()], says("It holds alpha.")]);
    writeFileSync(join(it.cwd, "a.txt"), "alpha\n");
    const result = await it.prompt("What is in a.txt?");
    expect(it.said[0]).toMatchObject({ type: "system", subtype: "init", cwd: it.cwd, permissionMode: "default" });
    expect(it.said[0]!.tools).toContain("Read");
    expect(it.of("assistant").map(({ message }) => (message as { content: object[] }).content[0])).toMatchObject([
      { type: "tool_use", id: "c1", name: "Read", input: { file_path: "a.txt" } },
      { type: "text", text: "It holds alpha." },
    ]);
    expect(JSON.stringify(it.of("user"))).toContain("alpha");
    expect(result).toMatchObject({ subtype: "success", result: "It holds alpha.", num_turns: 2, is_error: false });
    expect(it.of("stream_event")).toEqual([]);
    expect(await it.end()).toBe(true);
  });

  it.each([
    ["Read,Grep", ["Grep", "Read"]],
    ["", []],
  ])("F05 --tools %j leaves only these built-in tools", async (wanted, expected) => {
    const place = host([says("Done.")], ["--tools", wanted]);
    await place.prompt("Go.");
    await place.end();
    const [init] = place.said as unknown as [{ readonly tools: readonly string[] }];
    expect([...init.tools].sort()).toEqual(expected);
  });

  it("V05 a budget that is spent ends the run with the reason that hosts know", async () => {
    const prices = { "test/scripted": { input: 1, output: 5 } };
    const args = ["--max-budget-usd", "0", "--settings", JSON.stringify({ toolAgent: { prices } })];
    const it = host([says("Done.")], args);
    expect(await it.prompt("Go.")).toMatchObject({ subtype: "error_max_budget_usd", is_error: true });
    await it.end();
  });

  it("F28 the host is asked before anything happens; its yes and its no count", async () => {
    for (const behavior of ["allow", "deny"]) {
      const seen: object[] = [];
      const it = host([write("c1"), says("Done.")], asksHost, (request) => {
        if (request.subtype !== "can_use_tool") return undefined;
        seen.push(request);
        expect(existsSync(join(it.cwd, "made.txt"))).toBe(false);
        return behavior === "allow" ? { behavior, updatedInput: request.input } : { behavior, message: "Not that." };
      });
      const result = await it.prompt("Make it.");
      expect(seen).toMatchObject([
        { tool_name: "Write", tool_use_id: "c1", input: { file_path: join(it.cwd, "made.txt") } },
      ]);
      expect(existsSync(join(it.cwd, "made.txt"))).toBe(behavior === "allow");
      expect(result.permission_denials).toHaveLength(behavior === "allow" ? 0 : 1);
      if (behavior === "deny") expect(JSON.stringify(it.of("user"))).toContain("Not that.");
      await it.end();
    }
  });

  it("F28 without a host to ask, and with a host that is gone, the call is refused", async () => {
    const alone = host([write("c1"), says("Done.")]);
    await alone.prompt("Make it.");
    expect(existsSync(join(alone.cwd, "made.txt"))).toBe(false);
    await alone.end();
    const gone = host([write("c1"), says("Done.")], asksHost);
    gone.push({ type: "user", message: { role: "user", content: "Make it." } });
    await expect.poll(() => gone.of("control_request").length, { timeout: 10_000 }).toBe(1);
    gone.push({
      type: "control_response",
      response: { subtype: "error", request_id: gone.of("control_request")[0]!.request_id, error: "no screen" },
    });
    await expect.poll(() => gone.of("result").length, { timeout: 10_000 }).toBe(1);
    expect(existsSync(join(gone.cwd, "made.txt"))).toBe(false);
    await gone.end();
    const left = host([write("c1"), says("Done.")], asksHost);
    left.push({ type: "user", message: { role: "user", content: "Make it." } });
    await expect.poll(() => left.of("control_request").length, { timeout: 10_000 }).toBe(1);
    await left.end();
    expect(left.of("result")).toHaveLength(1);
    expect(existsSync(join(left.cwd, "made.txt"))).toBe(false);
  });

  it("E23 hooks of the host see prompts and calls, and may refuse", async () => {
    const inputs: Record<string, unknown>[] = [];
    const it = host([bash("c1", "ls"), says("Done.")], [], ({ subtype, input, callback_id }) => {
      if (subtype !== "hook_callback") return undefined;
      inputs.push(input as Record<string, unknown>);
      const no = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "never ls" };
      return callback_id === "hook_0" ? { hookSpecificOutput: no } : {};
    });
    const hooks = {
      PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["hook_0"] }],
      UserPromptSubmit: [{ hookCallbackIds: ["hook_1"] }],
    };
    expect(await it.ask({ subtype: "initialize", hooks })).toMatchObject({
      subtype: "success",
      response: { hooks_applied: true, commands: expect.arrayContaining([expect.objectContaining({ name: "clear" })]) },
    });
    await it.prompt("List.");
    expect(inputs.map(({ hook_event_name }) => hook_event_name)).toEqual(["UserPromptSubmit", "PreToolUse"]);
    expect(JSON.stringify(it.of("user"))).toContain("never ls");
    await it.end();
  });

  it("Q01 tools of servers inside the host are called there, under the rules", async () => {
    const called: unknown[] = [];
    const tools = [{ name: "add", description: "adds", inputSchema: { type: "object" } }];
    const reply: Reply = ({ subtype, message }) => {
      const { method, params } = (message ?? {}) as { method?: string; params?: unknown };
      if (subtype !== "mcp_message") return undefined;
      if (method === "tools/call") called.push(params);
      const result = method === "tools/list" ? { tools } : { content: [{ type: "text", text: "three" }] };
      return { mcp_response: { jsonrpc: "2.0", id: 1, result } };
    };
    for (const rules of [["--allowedTools", "mcp__mine__add"], []]) {
      const it = host([[calls("c1", "mcp__mine__add", { a: 2 }), finish()], says("Done.")], rules, reply);
      await it.ask({ subtype: "initialize", sdkMcpServers: ["mine"] });
      await it.prompt("Add.");
      const isAllowed = rules.length > 0;
      expect(called).toEqual([{ name: "add", arguments: { a: 2 } }]);
      expect(JSON.stringify(it.of("user")).includes("three")).toBe(isAllowed);
      await it.end();
    }
  });

  it("Q01 the host hears of servers in the words of the SDK", async () => {
    const mcpServers = { friend: serverEntry("friendly"), gone: { command: "/no/such/program" } };
    const it = host([says("Done.")], ["--mcp-config", JSON.stringify({ mcpServers })]);
    const status = async () =>
      ((await it.ask({ subtype: "mcp_status" })).response as { mcpServers: { name: string; status: string }[] })
        .mcpServers;
    await it.prompt("Go.");
    await expect
      .poll(async () => Object.fromEntries((await status()).map((one) => [one.name, one.status])), patiently)
      .toEqual({ friend: "connected", gone: "failed" });
    expect((await status()).find(({ name }) => name === "gone")).toMatchObject({ error: expect.any(String) });
    await it.end();
  });

  it("E25 the host changes mode, interrupts, and hears errors of what there is not", async () => {
    const held = Promise.withResolvers<void>();
    const it = host([[() => held.promise, ...says("Late.")]]);
    expect(await it.ask({ subtype: "set_permission_mode", mode: "plan" })).toMatchObject({
      response: { mode: "plan" },
    });
    expect(await it.ask({ subtype: "set_permission_mode", mode: "none" })).toMatchObject({ subtype: "error" });
    expect(await it.ask({ subtype: "teleport" })).toMatchObject({
      subtype: "error",
      error: expect.stringContaining("teleport"),
    });
    it.push("not json");
    it.push({ type: "user", message: { role: "user", content: "Wait." } });
    await expect.poll(() => it.model.requests.length, { timeout: 10_000 }).toBe(1);
    await it.ask({ subtype: "interrupt" });
    held.resolve();
    await expect.poll(() => it.of("result").length, { timeout: 10_000 }).toBe(1);
    expect(it.warned.join("")).toContain("not JSON");
    await it.end();
  });

  it("E16 partial messages are the events of the provider's stream, block by block", async () => {
    const it = host(
      [[...says("Hello.").slice(0, 2), calls("c1", "Glob", { pattern: "*" }), finish()], says("Done.")],
      ["--include-partial-messages"],
    );
    await it.prompt("Hi.");
    const events = it.of("stream_event").map(({ event }) => event as Record<string, never>);
    const kinds = events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`));
    expect(kinds.slice(0, 8)).toEqual([
      "message_start",
      "content_block_start 0",
      "content_block_delta 0",
      "content_block_stop 0",
      "content_block_start 1",
      "content_block_delta 1",
      "content_block_stop 1",
      "message_delta",
    ]);
    expect(kinds.filter((kind) => kind === "message_start")).toHaveLength(2);
    await it.end();
  });
});

describe("haft -p", () => {
  const once = async (args: readonly string[]) => {
    const { options } = places.make();
    let printed = "";
    const isGood = await runPrint({
      flags: readFlags(args),
      session: { ...options, model: scriptedModel([says("Four.")]) },
      version: "0",
      lines: (async function* () {})(),
      write(text) {
        printed += text;
      },
      warn: () => {},
    });
    return { isGood, printed };
  };

  it("E16 prints the answer, or one JSON value, or every message", async () => {
    expect(await once(["-p", "2 + 2?"])).toEqual({ isGood: true, printed: "Four.\n" });
    const { printed } = await once(["-p", "2 + 2?", "--output-format", "json"]);
    expect(JSON.parse(printed)).toMatchObject({ type: "result", subtype: "success", result: "Four." });
    const lines = (await once(["-p", "2 + 2?", "--output-format=stream-json"])).printed.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(["system", "assistant", "result"]);
  });

  it("E16 knows the options of hosts, and names the nearest for one that it does not know", () => {
    const flags = readFlags([
      "-p",
      "x",
      "--allowedTools",
      "Bash(git log *),Read Edit",
      "--resume=abc",
      ...["--effort", "high", "--agent", "reviewer", "--betas", "x"],
    ]);
    expect(flags).toMatchObject({ allow: ["Bash(git log *)", "Read", "Edit"], resume: "abc", ignored: ["--betas"] });
    expect(flags).toMatchObject({ effort: "high", agent: "reviewer" });
    expect(() => readFlags(["-p", "x", "--effort", "huge"])).toThrow("Unknown value");
    expect(() => readFlags(["-p", "--alowedTools", "x"])).toThrow("Unknown option");
    expect(() => readFlags(["--input-format", "stream-json"])).toThrow("needs --output-format");
    expect(() => readFlags(["--output-format", "xml"])).toThrow("Unknown value");
    expect(() => readFlags(["-p", "x", "--max-turns", "0"])).toThrow("not a number");
  });
});
