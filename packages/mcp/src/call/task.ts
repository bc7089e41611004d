import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import type { CallToolResult, Client, Progress } from "@modelcontextprotocol/client";
import { type LastingLine, type LastingParts, lastingLine, type Schema } from "./long-running.ts";

/** A call that continues at its server: it answers at once with a task, and has the result later. */
export interface TaskCall extends LastingParts {
  readonly tool: string;
  /** Called with the server's status message for the task. */
  onStatus(message: string | undefined): void;
}

interface Task {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
  /** Milliseconds between two polls, as its server wishes. */
  readonly pollMs?: number;
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** Milliseconds between two polls of a task: as its server wishes, within these limits. */
const LOOK_MS = { least: 50, usual: 500, most: 5_000 };

/** Timeout in milliseconds for telling a server that the call was cancelled. */
const CANCEL_MS = 2_000;

/** Runs a tool as a task of the protocol of 2025-11-25, to its end. A cancelled call cancels the task. */
export async function callAsTask(
  client: Client,
  call: TaskCall,
  input: unknown,
  onprogress: (progress: Progress) => void,
): Promise<CallToolResult> {
  const { tool, signal, timeout } = call;
  const params = { name: tool, arguments: { ...(input as object) }, task: {} };
  const start = { timeout, signal, onprogress };
  const { task } = await client.request({ method: "tools/call", params }, startedTask, start);
  return untilCancelled(task, call, async (line) => {
    const over = new AbortController();
    const stopped = AbortSignal.any([signal, over.signal]);
    // The request for the result waits for the task, and meanwhile a task that wants input gets it. Polls count as signs of life.
    const looking = look(line, task, call, stopped).catch(() => {});
    try {
      return await sound(await line.request("tasks/result", { taskId: task.taskId }, anyResult), call);
    } finally {
      over.abort();
      await looking;
    }
  });
}

async function look(line: LastingLine, first: Task, { onStatus }: TaskCall, stopped: AbortSignal): Promise<void> {
  for (let task = first; !isOver(task); ) {
    onStatus(task.statusMessage);
    await pauseOf(task, stopped);
    task = await line.request("tasks/get", { taskId: first.taskId }, aTask);
  }
}

/**
 * Follows a task of the protocol of 2026-07-28 to its end: polls, answers its questions, and returns its result.
 *
 * @throws HaftError `mcp_error` when it fails, when its server cancels it, or asks a question that is not supported here.
 */
export async function followTask(started: unknown, call: TaskCall): Promise<CallToolResult> {
  const first = taskOf(started);
  if (!first) throw failed(call, "answered with a task that has no id");
  const { status, result, error, statusMessage } = await untilCancelled(first, call, (line) =>
    toEnd(line, first, call),
  );
  if (status === "completed" && result) return sound(result, call);
  const why = error?.message ?? statusMessage ?? "it does not say why";
  throw failed(call, status === "cancelled" ? `was cancelled there: ${why}` : `failed: ${why}`);
}

/** The final state of a task. Only that state contains the result, so every task is polled at least once. */
async function toEnd(line: LastingLine, first: Task, { signal, onStatus }: TaskCall): Promise<Task> {
  const { taskId } = first;
  const answered = new Set<string>();
  for (let task = first; ; ) {
    onStatus(task.statusMessage);
    const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
    for (const [key, question] of open) {
      const inputResponses = { [key]: await line.answer(question, signal) };
      await line.request("tasks/update", { taskId, inputResponses }, anyResult);
      answered.add(key);
    }
    if (!isOver(task) && open.length === 0) await pauseOf(task, signal);
    task = await line.request("tasks/get", { taskId }, aTask);
    if (isOver(task)) return task;
  }
}

const isOver = ({ status }: Task): boolean => ["completed", "failed", "cancelled"].includes(status);

/** Tells the server when the caller stops waiting. */
async function untilCancelled<T>(task: Task, call: TaskCall, follow: (line: LastingLine) => Promise<T>): Promise<T> {
  try {
    return await follow(lastingLine(call));
  } catch (thrown) {
    const farewell = { ...call, signal: AbortSignal.timeout(CANCEL_MS), timeout: CANCEL_MS };
    await lastingLine(farewell)
      .request("tasks/cancel", { taskId: task.taskId }, anyResult)
      .catch(() => undefined);
    throw thrown;
  }
}

const pauseOf = ({ pollMs = LOOK_MS.usual }: Task, signal: AbortSignal): Promise<void> =>
  wait(Math.min(Math.max(pollMs, LOOK_MS.least), LOOK_MS.most), undefined, { signal });

/** The SDK validates the answer of a call, but not the result of a task. */
async function sound(result: unknown, call: TaskCall): Promise<CallToolResult> {
  const { specTypeSchemas } = await import("../sdk/sdk.ts");
  const looked = await specTypeSchemas.CallToolResult["~standard"].validate(result);
  if (!looked.issues) return looked.value;
  throw failed(call, "ran as a task, and its result is not valid MCP: check before you repeat the call");
}

const failed = ({ server, tool }: TaskCall, what: string): HaftError =>
  new HaftError({ code: "mcp_error", message: `${tool} on the MCP server "${server}" ${what}.` });

function schemaOf<T>(read: (value: unknown) => T | undefined): Schema<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate(value) {
        const found = read(value);
        return found === undefined
          ? { issues: [{ message: "the answer does not describe a task" }] }
          : { value: found };
      },
    },
  };
}

/** A server may write `null` for a missing field. A value of the wrong type is ignored. */
function taskOf(value: unknown): Task | undefined {
  const { statusMessage, pollInterval, pollIntervalMs, ...task } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof task.taskId !== "string" || typeof task.status !== "string") return undefined;
  // The protocol of 2025-11-25 uses another name for it than its successor.
  const pollMs = [pollIntervalMs, pollInterval].find((wish) => Number.isFinite(wish));
  return {
    ...task,
    ...(typeof statusMessage === "string" ? { statusMessage } : {}),
    ...(pollMs === undefined ? {} : { pollMs }),
  } as Task;
}

const aTask = schemaOf(taskOf);
const startedTask = schemaOf((value) => {
  const task = taskOf((value as { readonly task?: unknown } | null)?.task);
  return task && { task };
});
const anyResult = schemaOf((value) => value);

/** Whether a server of 2025-11-25 runs its tools as tasks at all. */
export function canRunTasks(client: Client): boolean {
  const { tasks } = (client.getServerCapabilities() ?? {}) as { tasks?: { requests?: { tools?: { call?: unknown } } } };
  return client.getProtocolEra() === "legacy" && tasks?.requests?.tools?.call !== undefined;
}

export const cannotRunTasks = (server: string, tool: string): HaftError =>
  new HaftError({
    code: "mcp_error",
    message: `${tool} runs only as a task, and the MCP server "${server}" does not support tasks.`,
    hint: "Its authors have to declare the capability tasks.",
  });
