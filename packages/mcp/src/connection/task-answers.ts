import type { Transport } from "@modelcontextprotocol/client";
import { type Message, reread } from "../transport/reread.ts";

/** The extension of the protocol of 2026-07-28 with which a server may answer a call with a task. */
export const TASKS = "io.modelcontextprotocol/tasks";

/**
 * Lets a client receive tasks. The SDK refuses an answer of the type `task`. So this first rewrites it to an answer without content, with
 * the task in its `_meta`.
 */
export const hearTasks = (transport: Transport): void => reread(transport, readable);

function readable(message: Message): Message {
  const { result } = message as { readonly result?: Readonly<Record<string, unknown>> };
  if (result?.resultType !== "task") return message;
  const { _meta, resultType: _, ...task } = result;
  const carried = { resultType: "complete", content: [], _meta: { ...(_meta as object), [TASKS]: task } };
  return { ...message, result: carried } as Message;
}

/** The task inside an answer. */
export const taskCarriedBy = (result: { readonly _meta?: Readonly<Record<string, unknown>> }): unknown =>
  result._meta?.[TASKS];
