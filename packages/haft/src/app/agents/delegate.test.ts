import { join } from "node:path";
import type { ToolAgentEvents, ToolAgentStep } from "@haft/core/compat/tool-define";
import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { agentSession, endless, promptOf, script, treeModel, turn } from "../../../test/support/agents.ts";
import { says } from "../../../test/support/scripted-model.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import { executeToolAgent } from "../../index.ts";

const places = sessionPlaces("delegate");
const request = { task: "Write it", context: "It is new.", expectedOutcome: "a.txt", sessionId: "s", messageId: "m" };
const thought = (text: string) => ({ type: "part" as const, key: "r", part: { type: "reasoning" as const, text } });
const write = ["Write", { file_path: "a.txt", content: "x" }] as const;

/** Every event in its order. */
function heard() {
  const events: string[] = [];
  const steps: ToolAgentStep[] = [];
  const on = (name: string) => (value: ToolAgentStep | string) =>
    void events.push(`${name} ${typeof value === "string" ? value : value.toolName}`);
  const listener: ToolAgentEvents = {
    onStepStart: on("start"),
    onStepComplete(step) {
      on("complete")(step);
      steps.push(step);
    },
    onStepSummary: on("summary"),
    onTextChunk: on("text"),
    onProgress: on("progress"),
    onError: on("error"),
  };
  return { events, steps, listener };
}

describe("executeToolAgent", () => {
  it("S02 S03 S04 S06 S07 S08 S12 carries out a task and tells of each step, in order", async () => {
    const model = treeModel({
      "# Task\nWrite it": script(
        [thought("I write first."), ...turn(write, ["Read", { file_path: "none.txt" }])],
        says("Written."),
      ),
    });
    const { haft, cwd } = await agentSession(places, model, { mode: "acceptEdits" });
    const { events, steps, listener } = heard();
    const result = await executeToolAgent(
      request,
      { haft, skills: [{ name: "pdf", description: "Reads PDFs." }] },
      listener,
    );
    const [first] = model.requests;
    expect(promptOf(first!)).toBe("# Task\nWrite it\n\n# Context\nIt is new.\n\n# Expected outcome\na.txt");
    expect(first?.system).toContain("- pdf: Reads PDFs.");
    expect(result).toMatchObject({
      success: true,
      summary: "Written.",
      filesModified: [join(cwd, "a.txt")],
      toolCallCount: 2,
    });
    expect(result.errors).toHaveLength(1);
    expect(result.executionTimeMs).toBeGreaterThanOrEqual(0);
    const write1 = steps.find(({ toolName }) => toolName === "Write");
    expect(write1).toMatchObject({
      status: "success",
      thinking: "I write first.",
      summary: "Written.",
      arguments: write[1],
    });
    expect(steps.find(({ toolName }) => toolName === "Read")).toMatchObject({ status: "failed", summary: "Written." });
    expect(result.details).toMatch(
      /thought: I write first\.\n1\. Write .*: success\n {3}Written\.\n2\. Read .*: failed: /,
    );
    const kinds = events.map((event) => event.split(" ")[0]);
    expect(new Set(kinds)).toEqual(new Set(["start", "progress", "complete", "error", "text", "summary"]));
    expect(kinds.indexOf("start")).toBeLessThan(kinds.indexOf("complete"));
    expect(kinds.indexOf("complete")).toBeLessThan(kinds.indexOf("summary"));
    expect(events.filter((event) => event.startsWith("text"))).toEqual(["text Written."]);
  });

  it("S05 no call and an answer is a success; all calls failed, a limit, a time-out and an abort are none, with the reason", async () => {
    const read = ["Read", { file_path: "none.txt" }] as const;
    const cases = {
      "# Task\nTalk": script("Just words."),
      "# Task\nFail": script(turn(read), "It failed."),
      "# Task\nMany": script(turn(["Ls", {}], ["Ls", {}])),
      "# Task\nHang": endless,
    };
    const { haft } = await agentSession(places, treeModel(cases));
    const run = (task: string, more: object = {}) => executeToolAgent({ ...request, task }, { haft, ...more });
    expect(await run("Talk")).toMatchObject({ success: true, errors: [], toolCallCount: 0, summary: "Just words." });
    expect(await run("Fail")).toMatchObject({ success: false, summary: "It failed." });
    const many = await run("Many", { settings: { maxToolCalls: 1 } });
    expect(many).toMatchObject({ success: false, summary: "last words" });
    expect(many.errors.at(-1)).toContain("1 of 1 are spent");
    expect((await run("Hang", { settings: { timeoutMs: 20 } })).errors).toEqual(["Its timeout was reached."]);
    expect(await run("Hang", { abortSignal: AbortSignal.timeout(20) })).toMatchObject({
      success: false,
      errors: ["it was stopped"],
    });
  });

  it("S08 a listener that throws changes nothing, and without a model nothing is started", async () => {
    const { haft } = await agentSession(places, treeModel({ "# Task": script(turn(["Ls", {}]), "Done.") }));
    const broken = {
      onStepStart: () => {
        throw new Error("broken");
      },
      onTextChunk: () => {
        throw new Error("broken");
      },
    };
    expect(await executeToolAgent(request, { haft }, broken)).toMatchObject({ success: true });
    const plain = await places.open(places.make().options);
    await expect(executeToolAgent(request, { haft: plain })).rejects.toMatchObject({ code: "tool_unavailable" });
  });

  it("S02 the same as a tool: the result as output, the steps for the model, a failure as an error with what was found", async () => {
    const { task, context, expectedOutcome } = request;
    const model = treeModel({
      "# Task\nWrite it": script(turn(write), "Written."),
      "# Task\nFail": () => [{ type: "error", error: Object.assign(new Error("gone"), { statusCode: 404 }) }],
    });
    const { haft, cwd } = await agentSession(places, model, { mode: "acceptEdits" });
    const done = await haft.call("Delegate", { task, context, expectedOutcome });
    expect(done.output).toMatchObject({ success: true, filesModified: [join(cwd, "a.txt")] });
    expect(contentsText(done.content)).toContain("1. Write");
    const failed = await haft.call("Delegate", { task: "Fail", context, expectedOutcome });
    expect(failed.error).toMatchObject({ code: "agent_failed", message: "The task was not carried out: gone" });
    expect(failed.output).toMatchObject({ success: false });
  });
});
