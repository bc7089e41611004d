import type { Transport } from "@modelcontextprotocol/client";
import { type Message, reread } from "../transport/reread.ts";

/** The extension of the protocol of 2026-07-28 by which a server may answer a call with a task. */
export const TASKS = "io.modelcontextprotocol/tasks";

/**
 * Lets a client hear of tasks. The SDK refuses an answer of the type `task`; before it sees one, this makes it an answer
 * without content, which carries the task among what belongs to nobody else.
 */
export const hearTasks = (transport: Transport): void => reread(transport, readable);

function readable(message: Message): Message {
  const { result } = message as { readonly result?: Readonly<Record<string, unknown>> };
  if (result?.resultType !== "task") return message;
  const { _meta, resultType: _, ...task } = result;
  const carried = { resultType: "complete", content: [], _meta: { ...(_meta as object), [TASKS]: task } };
  return { ...message, result: carried } as Message;
}

/** The task that an answer carries. */
export const taskCarriedBy = (result: { readonly _meta?: Readonly<Record<string, unknown>> }): unknown =>
  result._meta?.[TASKS];
