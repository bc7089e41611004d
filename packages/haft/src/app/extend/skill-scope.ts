import type { RuleSource } from "@haft/core/policy";
import type { Skill } from "@haft/core/tool";
import type { LivePolicy } from "../setup/live-policy.ts";

/** The rules that loaded skills bring into a session, until the user's next prompt. */
export interface SkillScope {
  begin(skill: Skill): void;
  /** A skill that the user started with a prompt of theirs: its rules hold for the run of that prompt, which is about to begin. */
  beginNext(skill: Skill): void;
  /** The user has sent a prompt. */
  endRun(): void;
}

/** Denials and asks of the settings stay above these rules: they are rules of the session like others. */
export function skillScope(live: LivePolicy): SkillScope {
  let current: Skill[] = [];
  let next: Skill[] = [];
  let rules: readonly RuleSource[] = [];

  function apply(skills: Skill[]): void {
    current = skills;
    if (rules.length === 0 && skills.length === 0) return;
    const gone = new Set(rules);
    rules = skills.flatMap(rulesOf);
    live.change((from) => from.with({ rules: [...from.rules.filter((rule) => !gone.has(rule)), ...rules] }));
    live.bound(
      skills
        .filter(({ ceiling }) => ceiling)
        .map(({ name, grants, folder }) => ({ who: `the skill ${name}`, rules: [...grants, `read(${folder}/**)`] })),
    );
  }

  return {
    begin(skill) {
      if (!current.includes(skill)) apply([...current, skill]);
    },
    beginNext(skill) {
      next = [...next, skill];
      apply([...current, skill]);
    },
    endRun() {
      const kept = next;
      next = [];
      if (current.length > 0) apply(kept);
    },
  };
}

const rulesOf = ({ grants, denies }: Skill): readonly RuleSource[] => [
  ...denies.map((text): RuleSource => ({ behavior: "deny", origin: "session", text })),
  ...grants.map((text): RuleSource => ({ behavior: "allow", origin: "session", text })),
];
