import { defineTool, state, type Task } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsTasks, tasksShown, taskText } from "../support/session/task-fields.ts";

const input = {
  type: "object",
  properties: { taskId: { type: "string", minLength: 1, description: 'The id of the task: "1".' } },
  required: ["taskId"],
  additionalProperties: false,
} as const;

/** TaskGet: returns one task with all its details. */
export const taskGet = defineTool({
  name: "TaskGet",
  title: "Read task",
  searchHint: "task get read details dependencies",
  description: "Returns a shared task with its description and dependencies.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsTasks,
  effects: () => [state("tasks", { change: false })],
  describe: ({ taskId = "" }) => ({ title: `Task ${taskId}`.trim(), activity: "Reading a task" }),
  async run({ taskId }, { ports }): Promise<{ readonly task: Task }> {
    return { task: await portOf(ports, "tasks").get(taskId) };
  },
  toModel: ({ task }) => taskText(task),
  toDisplay: ({ task }) => tasksShown([task]),
});
