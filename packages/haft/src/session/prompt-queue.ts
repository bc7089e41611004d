import { randomUUID } from "node:crypto";
import type { AgentEnd } from "../agent/index.ts";
import type { PromptOptions, QueuedPrompt } from "./session.ts";

/** A prompt with its promise. */
export interface Pending {
  readonly id: string;
  readonly text: string;
  readonly options: PromptOptions;
  readonly ended: Promise<AgentEnd>;
  resolve(end: AgentEnd): void;
  reject(error: unknown): void;
}

export function pendingPrompt(text: string, options: PromptOptions): Pending {
  const { promise: ended, resolve, reject } = Promise.withResolvers<AgentEnd>();
  return { id: randomUUID(), text, options, ended, resolve, reject };
}

/** A prompt as faces see it. */
export const shownPrompt = ({ id, text, options: { by, shownAs } }: Pending): QueuedPrompt => ({
  id,
  text: shownAs ?? text,
  ...(by === undefined ? {} : { by }),
});

/** The end of a prompt that the model never saw. */
export const unsent = (why: string): AgentEnd => ({
  reason: "refused",
  why,
  messages: [],
  text: "",
  turns: 0,
  usage: {},
});
