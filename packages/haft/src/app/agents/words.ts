import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentRequest } from "@haft/core/tool";
import { type Message, userMessage } from "../../agent/index.ts";
import type { Report } from "./node.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

/** What the agent that started another one is told when that has ended. Without its words: this stands in the user's place. */
export const endNotice = ({ id, type, name, status, why }: Report): Message =>
  userMessage(
    `[Agent ${id} (${name ?? type}) has ended: ${status}${why ? `, ${why}` : ""}. TaskOutput shows what it says.]`,
  );

/** What an agent is told of its work and its place. */
export const systemOf = ({ prompt }: AgentDefinition, { system = "" }: AgentRequest, cwd: string): string =>
  [
    prompt,
    `You work in ${cwd} on ${process.platform}, for another agent: your last message is all that it gets. You cannot ask anybody; say in it what you would need to know.`,
    "A refused call is refused by the user's rules or your budget: find another way, or say what is missing.",
    system,
  ]
    .filter((part) => part !== "")
    .join("\n\n");

/** Writes down the conversation of an agent, message by message. */
export function keeperOf(dir: string | undefined, id: string): (message: Message) => void {
  if (dir === undefined) return () => {};
  const file = join(dir, "agents", `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  return (message) => appendFileSync(file, `${JSON.stringify(message)}\n`, { mode: 0o600 });
}
