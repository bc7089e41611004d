import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import type { CallToolResult, Client, Progress, StandardSchemaV1 } from "@modelcontextprotocol/client";

/** A call that its server runs as a task (protocol of 2025-11-25): it answers at once, and has the result later. */
export interface TaskCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** The server has said how the task does. */
  onStatus(message: string | undefined): void;
  onprogress(progress: Progress): void;
}

interface Task {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
  readonly pollInterval?: number;
}

/** Milliseconds between two looks at a task: as its server wishes, within these. */
const LOOK_MS = { least: 50, usual: 500, most: 5_000 };

/** Milliseconds for telling a server that nobody waits any more. */
const CANCEL_MS = 2_000;

/** Runs a tool as a task, to its end. A cancelled call cancels the task. */
export async function callAsTask(client: Client, call: TaskCall): Promise<CallToolResult> {
  const { name, signal, timeout } = call;
  const options = { timeout, signal };
  const params = { name, arguments: { ...call.arguments }, task: {} };
  const start = { ...options, onprogress: call.onprogress };
  const { task } = await client.request({ method: "tools/call", params }, taskIn("task"), start);
  const named = { taskId: task.taskId };
  try {
    for (let now: Task = task; now.status === "working"; ) {
      call.onStatus(now.statusMessage);
      const pause = Math.min(Math.max(now.pollInterval ?? LOOK_MS.usual, LOOK_MS.least), LOOK_MS.most);
      await wait(pause, undefined, { signal });
      now = (await client.request({ method: "tasks/get", params: named }, taskIn("itself"), options)).task;
    }
    // A task that wants input gets it while its result is waited for.
    return await client.request({ method: "tasks/result", params: named }, anyResult, options);
  } catch (thrown) {
    if (signal.aborted)
      await client
        .request({ method: "tasks/cancel", params: named }, anyResult, { timeout: CANCEL_MS })
        .catch(() => undefined);
    throw thrown;
  }
}

function schemaOf<T>(read: (value: Readonly<Record<string, unknown>>) => T | undefined): StandardSchemaV1<unknown, T> {
  return {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate(value) {
        const found = typeof value === "object" && value !== null ? read(value as Record<string, unknown>) : undefined;
        return found === undefined
          ? { issues: [{ message: "the answer does not describe a task" }] }
          : { value: found };
      },
    },
  };
}

/** A task that an answer carries, or is. */
const taskIn = (place: "task" | "itself") =>
  schemaOf((value) => {
    const task = (place === "task" ? value.task : value) as Partial<Task> | undefined;
    return typeof task?.taskId === "string" && typeof task.status === "string" ? { task: task as Task } : undefined;
  });

const anyResult = schemaOf((value) => value as unknown as CallToolResult);

/** Whether a server runs its tools as tasks at all. */
export function canRunTasks(client: Client): boolean {
  const { tasks } = (client.getServerCapabilities() ?? {}) as { tasks?: { requests?: { tools?: { call?: unknown } } } };
  return client.getProtocolEra() === "legacy" && tasks?.requests?.tools?.call !== undefined;
}

export const cannotRunTasks = (server: string, tool: string): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `${tool} runs only as a task, and the MCP server "${server}" offers none.`,
    hint: "Its makers have to declare the capability tasks.",
  });
