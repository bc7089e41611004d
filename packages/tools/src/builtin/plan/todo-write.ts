import { defineTool, type Problem, state, type Todo, text } from "@haft/core/tool";

const STATUSES = ["pending", "in_progress", "completed"] as const;

const input = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      description: "The whole list; replaces the previous one.",
      items: {
        type: "object",
        description: "One step.",
        properties: {
          content: { type: "string", minLength: 1, description: 'What to do: "Run the tests".' },
          status: { type: "string", enum: STATUSES, description: "At most one is in_progress." },
          activeForm: { type: "string", description: 'The same in progressive form: "Running the tests".' },
        },
        required: ["content", "status"],
        additionalProperties: false,
      },
    },
  },
  required: ["todos"],
  additionalProperties: false,
} as const;

/** The output of a new list for programs. */
interface TodoWriteOutput {
  readonly before: readonly Todo[];
  readonly todos: readonly Todo[];
}

/** TodoWrite: replaces the session's list of steps as a whole. */
export const todoWrite = defineTool({
  name: "TodoWrite",
  aliases: ["WriteTodos", "write_todos", "todowrite", "update_plan"],
  title: "Update todos",
  searchHint: "todo list plan steps progress tasks",
  description: [
    "Keeps the list of your steps, which the user sees.",
    "Use it for three steps or more. Mark a step in_progress before you start it (one at a time), completed once it is done.",
  ].join("\n"),
  input,
  can: ["state"],
  effects: () => [state("todos")],
  validate: ({ todos }) => problemOf(todos),
  describe: ({ todos }) => {
    const current = todos?.find?.((todo) => todo?.status === "in_progress");
    return { title: "Update todos", activity: current?.activeForm || current?.content || "Updating todos" };
  },
  run({ todos }, ctx): TodoWriteOutput {
    const before = ctx.ports.state.get<readonly Todo[]>("todos") ?? [];
    ctx.ports.state.set<readonly Todo[]>("todos", todos);
    const done = todos.filter((todo) => todo.status === "completed").length;
    ctx.progress({ title: `Todos: ${done} of ${todos.length} done`, metadata: { total: todos.length, done } });
    return { before, todos };
  },
  toModel: ({ todos }) => {
    const amounts = STATUSES.map((status) => `${todos.filter((todo) => todo.status === status).length} ${status}`);
    return [text(todos.length === 0 ? "The todo list is empty now." : `Todo list updated: ${amounts.join(", ")}.`)];
  },
  toDisplay: ({ todos }) => ({ kind: "todos", todos }),
});

function problemOf(todos: readonly Todo[]): Problem | undefined {
  const active = todos.filter((todo) => todo.status === "in_progress");
  if (active.length <= 1) return undefined;
  return {
    code: "validation_failed",
    message: `${active.length} todos are in_progress: ${active.map((todo) => `"${todo.content}"`).join(", ")}.`,
    hint: "Keep at most one in_progress; set the others to pending or completed.",
  };
}
