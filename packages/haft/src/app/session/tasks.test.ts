import { contentsText, type Result } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";

const places = sessionPlaces("tasks");
const textOf = ({ content }: Result) => contentsText(content);

describe("shared tasks", () => {
  it("N02 N03 N04 N05 are made, read, listed and changed unasked, and stay with the session", async () => {
    const { options } = places.make();
    const haft = await places.open({ ...options, session: "s1" });
    const made = await haft.call("TaskCreate", {
      subject: "Build it",
      description: "With tests.",
      metadata: { pr: 7 },
    });
    expect(textOf(made)).toBe("Task 1 is on the list: Build it");
    await haft.call("TaskCreate", { subject: "Ship it" });
    expect((await haft.call("TaskUpdate", { taskId: "2", addBlockedBy: ["1"] })).error).toBeUndefined();
    await haft.call("TaskUpdate", { taskId: "1", status: "in_progress", owner: "main" });
    expect(textOf(await haft.call("TaskList", {}))).toBe(
      "1. Build it [in_progress; main]\n2. Ship it [pending; waits for 1]",
    );
    expect(textOf(await haft.call("TaskGet", { taskId: "1" }))).toBe(
      'Task 1: Build it\nStatus: in_progress\nOwner: main\nBlocks: 2\nMetadata: {"pr":7}\n\nWith tests.',
    );
    await haft[Symbol.asyncDispose]();
    const later = await places.open({ ...options, session: "s1" });
    expect((await later.call("TaskList", {})).display).toMatchObject({
      kind: "todos",
      todos: [{ content: "Build it", status: "in_progress" }, { content: "Ship it" }],
    });
  });

  it("N03 N05 an unknown task, a circle, a blocked start and an empty change are refused with the cure", async () => {
    const haft = await places.open(places.make().options);
    for (const subject of ["a", "b"]) await haft.call("TaskCreate", { subject });
    await haft.call("TaskUpdate", { taskId: "1", addBlocks: ["2"] });
    const error = async (tool: string, input: object) => (await haft.call(tool, input)).error;
    expect(await error("TaskGet", { taskId: "7" })).toMatchObject({ code: "invalid_input", hint: "Tasks: 1, 2." });
    expect(await error("TaskUpdate", { taskId: "2", addBlocks: ["1"] })).toMatchObject({ code: "validation_failed" });
    expect(await error("TaskUpdate", { taskId: "2", status: "in_progress" })).toMatchObject({
      message: "Task 2 waits for 1.",
    });
    expect(await error("TaskUpdate", { taskId: "2" })).toMatchObject({ code: "validation_failed" });
  });

  it("N05 a subagent shares the list and is known by its id: nobody takes what another one owns", async () => {
    const haft = await places.open(places.make().options);
    await haft.call("TaskCreate", { subject: "a" });
    const [one, two] = ["a1", "a2"].map((id) => haft.with({ agent: { id, parent: "main" } }));
    const [first, second] = await Promise.all([
      one!.call("TaskUpdate", { taskId: "1", owner: "a1" }),
      two!.call("TaskUpdate", { taskId: "1", owner: "a2" }),
    ]);
    expect(first.error).toBeUndefined();
    expect(second.error).toMatchObject({ code: "conflict", message: "Task 1 belongs to a1." });
  });
});
