import type { Registration, Registry } from "@haft/core/registry";
import { fail, type Result, type Skill, type Skills } from "@haft/core/tool";
import { hasSkills, loadSkills, skillFiles, skillStamp, skillText } from "@haft/plugins";
import { skillRoots } from "@haft/plugins/skill-roots";
import { expandSkill } from "@haft/tools/skill-text";
import { skillTool } from "@haft/tools/skill-tool";
import type { NoticeListener } from "../notice.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import type { Setup } from "../setup/setup.ts";
import type { SkillCommands } from "./skill-commands.ts";
import { skillScope } from "./skill-scope.ts";

/** The skills of a session: their port, and what keeps them fresh. */
export interface OpenSkills {
  readonly port: Skills;
  /** Reads the folders again if something in them has changed. */
  refresh(): void;
  endRun(): void;
  commands(call: (tool: string, input: unknown) => Promise<Result>): SkillCommands;
}

/** Reads the skills of the session's folders. Files are read again after a change. */
export function openSkills(
  setup: Setup,
  live: LivePolicy,
  registry: Registry,
  onNotice: NoticeListener,
  onChange: () => void,
): OpenSkills {
  const { skillRoots: roots, names } = setup;
  const scope = skillScope(live);
  const base = registry.get("Skill")?.tool;
  let skills: ReadonlyMap<string, Skill> = new Map();
  let stamp: string | undefined;
  let added: Registration | undefined;

  const notice = (message: string, cure?: string): void =>
    onNotice({ code: "skill_file", severity: "warning", source: "skills", message, ...(cure ? { cure } : {}) });

  function refresh(): void {
    const now = skillStamp(roots);
    if (now === stamp) return;
    if (stamp !== undefined) onChange();
    stamp = now;
    skills = loadSkills({ roots, names, onProblem: notice });
    added?.remove();
    added = undefined;
    const offered = [...skills.values()].filter(({ forModel }) => forModel);
    if (base && offered.length > 0)
      added = registry.add({ origin: "builtin", name: "haft" }, [skillTool(base, offered)], {
        override: true,
      });
  }

  const known = (name: string): Skill =>
    skills.get(name) ??
    fail("invalid_input", `There is no skill "${name}".`, `Skills: ${[...skills.keys()].join(", ") || "none"}.`);

  const port: Skills = {
    list: () => [...skills.values()],
    find: (name) => skills.get(name),
    text: async (name) => skillText(known(name)),
    files: async (name) => skillFiles(known(name)),
    begin: (name) => scope.begin(known(name)),
  };

  refresh();
  const withheld = setup.trusted || setup.root === undefined ? [] : skillRoots(undefined, setup.root);
  if (hasSkills(withheld))
    notice(
      "The skills and commands of this folder are ignored: it is not trusted.",
      "Look at them, then run `haft trust` to enable them.",
    );
  return {
    port,
    refresh,
    endRun: scope.endRun,
    commands: (call) => ({
      list: () => [...skills.values()].filter(({ forPeople }) => forPeople),
      async expand(name, args = "") {
        const skill = known(name);
        if (!skill.forPeople)
          fail("invalid_input", `Only the model can use the skill "${name}".`, "Describe what you want instead.");
        scope.beginNext(skill);
        return expandSkill(port, name, args, call);
      },
    }),
  };
}
