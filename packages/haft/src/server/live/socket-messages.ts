import { z } from "zod";
import { clientTool } from "./client-tools.ts";

/** Everything that a client may send over the socket. */
export const clientMessage = z.discriminatedUnion("type", [
  /** Receive the events of a session, those after `after` first. */
  z.object({ type: z.literal("watch"), session: z.string(), after: z.number().int().nonnegative().optional() }),
  z.object({ type: z.literal("unwatch"), session: z.string() }),
  z.object({
    type: z.literal("prompt"),
    session: z.string(),
    text: z.string().min(1),
    ref: z.string().optional(),
  }),
  z.object({ type: z.literal("interrupt"), session: z.string() }),
  z.object({
    type: z.literal("answer"),
    id: z.string(),
    digest: z.string().optional(),
    answer: z.unknown(),
    ref: z.string().optional(),
  }),
  /** Register the tools that this client runs. With the `key` of an earlier registration, take them over. */
  z.object({
    type: z.literal("tools"),
    session: z.string(),
    tools: z.array(clientTool).max(100),
    key: z.string().min(16).optional(),
    ref: z.string().optional(),
  }),
  z.object({
    type: z.literal("tool-result"),
    session: z.string(),
    callId: z.string(),
    output: z.unknown().optional(),
    error: z.string().optional(),
    ref: z.string().optional(),
  }),
  z.object({ type: z.literal("ping"), ref: z.string().optional() }),
]);

export type ClientMessage = z.output<typeof clientMessage>;
