import { type Display, defineTool, delegate, fail, type Skill, state } from "@haft/core/tool";
import { portOf } from "../support/session/needs.ts";
import { commandsIn, expandSkill, filesIn } from "../support/skill/expand.ts";

const input = {
  type: "object",
  properties: {
    skill: { type: "string", minLength: 1, description: "The skill to load." },
    args: { type: "string", description: "Its arguments, as the user would type them." },
  },
  required: ["skill"],
  additionalProperties: false,
} as const;

/** A loaded skill: its text for the model, and the rules that it brought. */
interface SkillOutput {
  readonly skill: string;
  readonly text: string;
  readonly grants: readonly string[];
}

/** Skill: loads the instructions of a skill, which may bring grants, commands and an agent of its own. */
export const skill = defineTool({
  name: "Skill",
  aliases: ["activate_skill"],
  title: "Skill",
  searchHint: "skill instructions workflow how-to expertise load",
  description:
    "Loads a skill: instructions for a kind of work, written by the user or the project. Load the one that fits before you begin, and follow it. Its text may name further files in its folder; read them when you need them.",
  input,
  offer: "always",
  rules: { specifier: "skill", groups: ["agents"] },
  can: ["state", "delegate"],
  // The tool with the names of the session's skills takes the place of this one.
  when: () => ({ absent: "there are no skills here" }),
  effects: ({ skill: name }, { ports }) => {
    const fork = ports.skills?.find(name)?.fork;
    return [state("skills"), ...(fork === undefined ? [] : [delegate(fork)])];
  },
  validate({ skill: name }, { ports }) {
    const found = ports.skills?.find(name);
    if (!found) return { message: `There is no skill "${name}".`, hint: "Load one of the listed skills." };
    if (!found.forModel)
      return { message: `Only the user may start the skill "${name}".`, hint: `They can type /${name}.` };
    return undefined;
  },
  object({ skill: name }, { ports }) {
    const { grants = [] } = ports.skills?.find(name) ?? {};
    if (grants.length === 0) return undefined;
    return {
      behavior: "ask",
      reason: `The skill ${name} asks to run these without asking until the next prompt: ${grants.join(", ")}.`,
      suggestions: [
        {
          label: `Load the skill ${name} without asking`,
          rules: [`Skill(${name})`, `Skill(${name} *)`],
          scope: "project",
        },
      ],
    };
  },
  async preview({ skill: name }, { ports }) {
    const found = ports.skills?.find(name);
    return found ? shown(found, await portOf(ports, "skills").text(name)) : { kind: "text", text: name };
  },
  describe: ({ skill: name, args = "" }) => ({
    title: `Skill ${name ?? ""} ${args}`.trim(),
    activity: `Loading the skill ${name ?? ""}`,
  }),
  async run({ skill: name, args = "" }, ctx): Promise<SkillOutput> {
    const skills = portOf(ctx.ports, "skills");
    const found = skills.find(name) ?? fail("invalid_input", `There is no skill "${name}".`, "Load a listed one.");
    if (found.fork === undefined) skills.begin(name);
    const text = await expandSkill(skills, name, args, (tool, wish) => ctx.invoke(tool, wish));
    if (found.fork === undefined) return { skill: name, text, grants: found.grants };
    const title = `Skill ${name}`;
    ctx.progress({ title });
    const report = await portOf(ctx.ports, "agents").start({
      ...{ type: found.fork, prompt: text, description: `skill ${name}`, signal: ctx.signal },
      ...(found.ceiling ? { effects: found.grants } : {}),
      onNews(news) {
        if (news.type === "call") ctx.progress({ title: news.title });
      },
    });
    ctx.progress({ title });
    return { skill: name, text: report.text, grants: [] };
  },
  toModel: ({ text }) => [{ type: "text", text }],
  toDisplay: ({ skill: name, grants }) => ({
    kind: "text",
    text: grants.length === 0 ? `Loaded the skill ${name}` : `Loaded the skill ${name}; it allows ${grants.join(", ")}`,
  }),
  limits: { resultChars: 100_000 },
});

/** The view for a person before a skill is loaded: its origin, and everything in it that has an effect. */
const shown = (found: Skill, text: string): Display => ({
  kind: "group",
  title: `The skill ${found.name} (${found.source})`,
  items: [
    { kind: "text", text: `${found.description}\n${found.file}` },
    ...tableOf("runs without asking until your next prompt", found.grants),
    ...tableOf("is refused until your next prompt", found.denies),
    ...tableOf("runs now, each after its own decision", commandsIn(text, found)),
    ...tableOf("is read now, each after its own decision", filesIn(text, found)),
    ...(found.ceiling ? [{ kind: "text", text: "Everything else is refused until your next prompt." } as const] : []),
  ],
});

const tableOf = (title: string, lines: readonly string[]): Display[] =>
  lines.length === 0 ? [] : [{ kind: "table", columns: [title], rows: lines.map((line) => [line]) }];
