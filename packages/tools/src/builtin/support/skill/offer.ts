import { toSchema } from "@haft/core/schema";
import type { Skill, Tool } from "@haft/core/tool";
import { needs } from "../session/needs.ts";

/** Characters for the descriptions of all skills in the tool's own description, and for one of them. */
const MOST_CHARS = 8_000;
const MOST_FOR_ONE = 300;

/** The tool for these skills: their names are the only values that it takes. Without skills it is absent. */
export function skillTool(tool: Tool, skills: readonly Skill[]): Tool {
  const offered = skills.filter(({ forModel }) => forModel);
  if (offered.length === 0) return tool;
  const schema = {
    type: "object",
    properties: {
      skill: { type: "string", enum: offered.map(({ name }) => name), description: "The skill to load." },
      args: { type: "string", description: "Its arguments, as the user would type them." },
    },
    required: ["skill"],
    additionalProperties: false,
  } as const;
  return {
    ...tool,
    description: `${String(tool.description)}\n\nSkills:\n${listOf(offered)}`,
    input: toSchema(schema, "tool Skill"),
    when: needs("skills", "this host has no skills"),
  };
}

/** One line a skill. Long descriptions are shortened first, so that all fit and every name stays. */
function listOf(skills: readonly Skill[]): string {
  const lines = skills.map(({ name, description, hint }) => ({
    name: hint === undefined ? name : `${name} ${hint}`,
    text: description.replaceAll(/\s+/g, " ").trim(),
  }));
  const room = MOST_CHARS - lines.reduce((sum, { name }) => sum + name.length + 5, 0);
  const most = fairShare(
    lines.map(({ text }) => text.length),
    Math.max(0, room),
  );
  return lines.map(({ name, text }) => (most < 20 ? `- ${name}` : `- ${name}: ${shortened(text, most)}`)).join("\n");
}

/** The longest length at which all texts fit into the room. */
function fairShare(lengths: readonly number[], room: number): number {
  let [low, high] = [0, MOST_FOR_ONE];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lengths.reduce((sum, length) => sum + Math.min(length, middle), 0) <= room) low = middle;
    else high = middle - 1;
  }
  return low;
}

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
