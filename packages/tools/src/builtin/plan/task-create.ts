import { defineTool, state, type Task, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsTasks, tasksShown, taskWords } from "../support/session/task-fields.ts";

const input = {
  type: "object",
  properties: taskWords,
  required: ["subject"],
  additionalProperties: false,
} as const;

/** TaskCreate: adds a task to the list that the agents of a session share. */
export const taskCreate = defineTool({
  name: "TaskCreate",
  title: "Create task",
  searchHint: "task create add plan work item dependency team",
  description:
    "Adds a task to the list that all agents of the session share. TaskUpdate sets dependencies, owner and status. For your own steps, use TodoWrite.",
  input,
  offer: "deferred",
  can: ["state"],
  when: needsTasks,
  effects: () => [state("tasks")],
  describe: ({ subject }) => ({
    title: subject ? `Create task: ${subject}` : "Create task",
    activity: "Creating a task",
  }),
  async run({ description = "", ...words }, { ports }): Promise<{ readonly task: Task }> {
    return { task: await portOf(ports, "tasks").create({ ...words, description }) };
  },
  toModel: ({ task }) => [text(`Task ${task.id} is on the list: ${task.subject}`)],
  toDisplay: ({ task }) => tasksShown([task]),
});
