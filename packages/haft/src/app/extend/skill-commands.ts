import type { Skill } from "@haft/core/tool";

/** The skills of a session, for programs that show them as commands. */
export interface SkillCommands {
  /** The skills that people may call, as `/name arguments`. */
  list(): readonly Pick<Skill, "name" | "description" | "hint" | "source" | "file">[];
  /**
   * The prompt for `/name arguments`: the skill's text with its arguments and the output of its commands, each of which is
   * a call that is decided like any other. Its grants begin with it. Fails with `invalid_input` for an unknown name.
   */
  expand(name: string, args?: string): Promise<string>;
}
