import { traitsOf } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { todoWrite } from "./todo-write.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const step = (content: string, status: "pending" | "in_progress" | "completed") => ({ content, status });

describe("TodoWrite", () => {
  it("N01 replaces the whole list and shows it", async () => {
    const first = [step("a", "in_progress"), step("b", "pending")];
    expect((await world.use(todoWrite, { todos: first })).output).toEqual({ before: [], todos: first });
    const second = [step("c", "completed")];
    const used = await world.use(todoWrite, { todos: second });
    expect(used.output).toEqual({ before: first, todos: second });
    expect(used.display).toEqual({ kind: "todos", todos: second });
    expect(used.text).toBe("Todo list updated: 0 pending, 0 in_progress, 1 completed.");
    expect(used.titles).toEqual(["Todos: 1 of 1 done"]);
    expect(world.ports.state.get("todos")).toEqual(second);
  });

  it("N01 an empty list is a list", async () => {
    expect((await world.use(todoWrite, { todos: [] })).text).toBe("The todo list is empty now.");
  });

  it("N01 at most one is in progress; a refused list changes nothing", async () => {
    await world.use(todoWrite, { todos: [step("kept", "pending")] });
    const error = await failure(world.use(todoWrite, { todos: [step("a", "in_progress"), step("b", "in_progress")] }));
    expect(error).toMatchObject({ code: "validation_failed", message: '2 todos are in_progress: "a", "b".' });
    expect(world.ports.state.get("todos")).toEqual([step("kept", "pending")]);
  });

  it("N01 an unknown status does not fit", async () => {
    const todos = [{ content: "a", status: "doing" }] as never;
    expect(await failure(world.use(todoWrite, { todos }))).toMatchObject({ code: "invalid_input" });
  });

  it("N01 changes only the session's state: serial, touches no file", async () => {
    const effects = await todoWrite.effects({ todos: [] }, world.effectContext);
    expect(effects).toEqual([{ do: "state", basis: "enforced", of: "todos", change: true }]);
    expect(traitsOf(effects)).toMatchObject({ isReadOnly: false, isConcurrencySafe: false, isDestructive: false });
  });

  it("N01 describes half an input", () => {
    expect(todoWrite.describe?.({})).toEqual({ title: "Update todos", activity: "Updating todos" });
    const todos = [{ ...step("Run it", "in_progress"), activeForm: "Running it" }];
    expect(todoWrite.describe?.({ todos })?.activity).toBe("Running it");
  });
});
