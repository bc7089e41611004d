import { type Display, type Task, text } from "@haft/core/tool";
import { needs } from "./needs.ts";

export const needsTasks = needs("tasks", "this host has no shared tasks");

/** The fields of a task that a model writes. */
export const taskWords = {
  subject: { type: "string", minLength: 1, maxLength: 500, description: 'What to do, in short: "Run the tests".' },
  description: { type: "string", description: "Everything needed to do it." },
  activeForm: { type: "string", description: 'The same in progressive form: "Running the tests".' },
  metadata: {
    type: "object",
    description: "Your own facts. In an update, null removes a key.",
    additionalProperties: true,
  },
} as const;

/** A task in one line, as lists show it. */
export function taskLine({ id, subject, status, owner, blockedBy }: Task, open: ReadonlySet<string>): string {
  const waits = blockedBy.filter((other) => open.has(other));
  const facts = [status, ...(owner ? [owner] : []), ...(waits.length > 0 ? [`waits for ${waits.join(", ")}`] : [])];
  return `${id}. ${subject} [${facts.join("; ")}]`;
}

/** A task with all its details. */
export function taskText(task: Task): readonly [ReturnType<typeof text>] {
  const { id, subject, description, status, owner, blocks, blockedBy, metadata } = task;
  const lines = [
    `Task ${id}: ${subject}`,
    `Status: ${status}`,
    ...(owner ? [`Owner: ${owner}`] : []),
    ...(blockedBy.length > 0 ? [`Waits for: ${blockedBy.join(", ")}`] : []),
    ...(blocks.length > 0 ? [`Blocks: ${blocks.join(", ")}`] : []),
    ...(metadata ? [`Metadata: ${JSON.stringify(metadata)}`] : []),
    ...(description === "" ? [] : ["", description]),
  ];
  return [text(lines.join("\n"))];
}

/** Tasks for display. */
export const tasksShown = (tasks: readonly Task[]): Display => ({
  kind: "todos",
  todos: tasks.map(({ subject, status, activeForm }) => ({
    content: subject,
    status,
    ...(activeForm ? { activeForm } : {}),
  })),
});
