import { defineTool, state, type Task, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsTasks, taskLine, tasksShown } from "../support/session/task-fields.ts";

const input = { type: "object", properties: {}, additionalProperties: false } as const;

/** TaskList: lists all tasks that the agents of a session share. */
export const taskList = defineTool({
  name: "TaskList",
  title: "List tasks",
  searchHint: "task list all status owner blocked open",
  description: "Lists the shared tasks with status, owner and dependencies.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsTasks,
  effects: () => [state("tasks", { change: false })],
  describe: () => ({ title: "List tasks", activity: "Listing tasks" }),
  async run(_, { ports }): Promise<{ readonly tasks: readonly Task[] }> {
    return { tasks: await portOf(ports, "tasks").list() };
  },
  toModel: ({ tasks }) => {
    const open = new Set(tasks.filter(({ status }) => status !== "completed").map(({ id }) => id));
    return [text(tasks.length === 0 ? "There are no tasks." : tasks.map((task) => taskLine(task, open)).join("\n"))];
  },
  toDisplay: ({ tasks }) => tasksShown(tasks),
});
