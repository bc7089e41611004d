import { defineTool, state, type Task, text } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { needsTasks, tasksShown, taskText, taskWords } from "../support/session/task-fields.ts";

const ids = (description: string) => ({ type: "array", items: { type: "string", minLength: 1 }, description }) as const;

const input = {
  type: "object",
  properties: {
    taskId: { type: "string", minLength: 1, description: 'The id of the task: "1".' },
    ...taskWords,
    status: {
      type: "string",
      enum: ["pending", "in_progress", "completed", "deleted"],
      description: "Its status. deleted removes it.",
    },
    owner: { type: "string", description: 'Its owner; "" releases it.' },
    addBlocks: ids("Tasks that have to wait for this one."),
    addBlockedBy: ids("Tasks that this one has to wait for."),
  },
  required: ["taskId"],
  additionalProperties: false,
} as const;

/** The output of a change for programs; without a task: it was deleted. */
interface TaskUpdateOutput {
  readonly taskId: string;
  readonly task?: Task;
}

/** TaskUpdate: changes status, owner, words and dependencies of a shared task. */
export const taskUpdate = defineTool({
  name: "TaskUpdate",
  title: "Update task",
  searchHint: "task update status owner claim complete dependency delete",
  description: [
    "Changes the given fields of a shared task. Set in_progress and yourself as owner before you start, completed once it is done.",
    "A task that waits for open ones cannot start; one that another agent owns cannot be taken.",
  ].join("\n"),
  input,
  offer: "deferred",
  can: ["state"],
  when: needsTasks,
  effects: () => [state("tasks")],
  validate: ({ taskId, ...change }) =>
    Object.values(change).some((value) => value !== undefined)
      ? undefined
      : {
          message: `The update of task ${taskId} changes nothing.`,
          hint: "Give a status, an owner or another field.",
        },
  describe: ({ taskId = "", status }) => ({
    title: `Update task ${taskId}${status ? `: ${status}` : ""}`.trim(),
    activity: "Updating a task",
  }),
  async run({ taskId, ...change }, { ports }): Promise<TaskUpdateOutput> {
    const task = await portOf(ports, "tasks").update(taskId, change);
    return { taskId, ...(task ? { task } : {}) };
  },
  toModel: ({ taskId, task }) => (task ? taskText(task) : [text(`Task ${taskId} is deleted.`)]),
  toDisplay: ({ taskId, task }) => (task ? tasksShown([task]) : { kind: "text", text: `Task ${taskId} is deleted.` }),
});
