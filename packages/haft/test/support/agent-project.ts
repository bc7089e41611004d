import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HaftOptions } from "../../src/app/haft.ts";
import { type Script, treeModel, turn } from "./agents.ts";
import type { sessionPlaces } from "./session-places.ts";

/** A trusted project with agents in `.claude/agents`, each a head without name and description. */
export async function agentProject(
  places: ReturnType<typeof sessionPlaces>,
  heads: Readonly<Record<string, string>>,
  scripts: Record<string, Script>,
  more: HaftOptions = {},
) {
  const model = treeModel(scripts);
  const place = places.make("work/.git", "work/.claude/agents", "home/.config/haft");
  for (const [name, head] of Object.entries(heads)) {
    const text = `---\nname: ${name}\ndescription: Works.\n${head}\n---\nYou are ${name}.\n`;
    writeFileSync(join(place.cwd, `.claude/agents/${name}.md`), text);
  }
  const notices: string[] = [];
  const options: HaftOptions = {
    ...place.options,
    ...{ settings: undefined as never, model: model.name, openModel: () => model, trusted: true },
    onNotice: ({ message }) => void notices.push(message),
    ...more,
  };
  const open = (again: HaftOptions = {}) => places.open({ ...options, ...again });
  const haft = await open();
  const start = (type: string, prompt: string) => haft.call("Agent", { description: "x", prompt, subagent_type: type });
  return { ...place, haft, model, notices, options, open, start };
}

/** A hook that is a command of the shell. */
export const command = (line: string) => ({ type: "command", command: line });

/** Hooks as a line of a head. */
export const hookLine = (hooks: object) => `hooks: ${JSON.stringify(hooks)}`;

/** A turn that writes a file. */
export const write = (file_path: string) => turn(["Write", { file_path, content: "x" }]);
