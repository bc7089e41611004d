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
  /** Show the canvas of a session; `isShown: false` ends it. */
  z.object({ type: z.literal("canvas"), session: z.string(), isShown: z.boolean() }),
  /** The person has closed the panel with this page; another page opens it again. */
  z.object({ type: z.literal("canvas-closed"), session: z.string(), version: z.number().int() }),
  /** The answer of the page to a question of the server. */
  z.object({
    type: z.literal("canvas-answer"),
    session: z.string(),
    id: z.string(),
    answer: z.object({
      text: z.string().max(2_000_000).optional(),
      title: z.string().max(1_000).optional(),
      notes: z.array(z.string()).max(100).optional(),
      error: z.string().optional(),
    }),
  }),
  /** A request of the page on the canvas. */
  z.object({
    type: z.literal("canvas-request"),
    session: z.string(),
    version: z.number().int(),
    method: z.string().max(100),
    params: z.unknown().optional(),
    ref: z.string(),
  }),
  z.object({ type: z.literal("ping"), ref: z.string().optional() }),
]);

export type ClientMessage = z.output<typeof clientMessage>;
