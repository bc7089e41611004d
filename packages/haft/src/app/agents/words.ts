import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentRequest, Skills } from "@haft/core/tool";
import type { Message } from "../../agent/index.ts";
import { userMessage } from "../../agent/message.ts";
import type { Parts } from "../public-api.ts";
import type { Report } from "./node.ts";
import type { AgentPlace } from "./place/agent-place.ts";
import { inFolder, type Moved } from "./place/moved.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

/** The message to the parent agent when its agent has ended. Without that agent's own words, because the message has the user's role. */
export const endNotice = ({ id, type, name, status, why }: Report): Message =>
  userMessage(
    `[Agent ${id} (${name ?? type}) has ended: ${status}${why ? `, ${why}` : ""}. TaskOutput shows what it says.]`,
  );

/** The system prompt of an agent: its work and its folder. */
export const systemOf = (
  { prompt }: AgentDefinition,
  { system = "" }: AgentRequest,
  cwd: string,
  /** Texts of skills, and of instruction files. */
  texts: readonly string[],
  moved?: Moved,
): string =>
  [
    prompt,
    `You work in ${cwd} on ${process.platform}, for another agent: it gets your last message and nothing else. You cannot ask questions; say in that message what you would need to know.`,
    moved
      ? `${cwd} is your own copy of ${moved.from}; other agents have their own copies. Your changes are merged when you end. Use paths in your folder.`
      : "",
    "Refused calls are refused by the user's rules or your budget: find another way, or say what is missing.",
    ...texts,
    system,
  ]
    .filter((part) => part !== "")
    .join("\n\n");

/** The texts of an agent's own skills. Their commands do not run, and they grant nothing. */
export async function skillTexts(
  skills: Skills | undefined,
  names: readonly string[] = [],
): Promise<readonly string[]> {
  const missing = (name: string) =>
    `The skill ${name} is needed for your work but could not be loaded. Say so in your last message.`;
  return Promise.all(
    names.map(async (name) => {
      try {
        return skills?.find(name) ? `# Skill ${name}\n\n${await skills.text(name)}` : missing(name);
      } catch {
        return missing(name);
      }
    }),
  );
}

/** The part of a main agent's file that the loop needs, and its instructions. */
export function roleOf(type: AgentDefinition, { machine, instructions }: Parts): Pick<Parts, "role" | "instructions"> {
  const { name, prompt, initialPrompt, maxTurns, effort } = type;
  return {
    role: {
      ...{ name, system: prompt },
      ...(initialPrompt === undefined ? {} : { initialPrompt }),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(effort === undefined ? {} : { effort }),
    },
    async instructions() {
      const texts = await skillTexts(machine.ports.skills, type.skills);
      const files = type.withoutInstructions ? "" : await instructions();
      return [...texts, files].filter((part) => part !== "").join("\n\n");
    },
  };
}

/** A request whose paths in its parent's folder are those of the agent's own, and the other way round in its news. */
export function inPlace(request: AgentRequest, { moved, outward }: AgentPlace): AgentRequest {
  const { onNews, prompt } = request;
  return {
    ...request,
    ...(moved ? { prompt: inFolder(moved, prompt) } : {}),
    ...(onNews && outward ? { onNews: outward.news(onNews) } : {}),
  };
}

/** Writes down an agent's conversation, message by message. */
export function keeperOf(dir: string | undefined, id: string): (message: Message) => void {
  if (dir === undefined) return () => {};
  const file = join(dir, "agents", `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  return (message) => appendFileSync(file, `${JSON.stringify(message)}\n`, { mode: 0o600 });
}
