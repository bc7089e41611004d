/** The port to skills: instructions in folders that are loaded when they are needed. */

/** A skill, as its frontmatter describes it. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The origin: `project`, `user`, or the name of a plugin. */
  readonly source: string;
  /** Absolute real paths of its file and its folder. */
  readonly file: string;
  readonly folder: string;
  /** The arguments that it takes, for people: `[issue]`. */
  readonly hint?: string;
  /** Names of its arguments, for `$name` in its text. */
  readonly args: readonly string[];
  /** Whether a model may load it by itself. */
  readonly forModel: boolean;
  /** Whether people may call it as a command. */
  readonly forPeople: boolean;
  /** Texts in place of `${user_config.KEY}`: the answers that a plugin's user has given. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Rules that it allows until the next prompt. They never beat a deny or ask rule. */
  readonly grants: readonly string[];
  /** Rules that it denies until the next prompt. */
  readonly denies: readonly string[];
  /** Nothing but its grants is possible until the next prompt. */
  readonly ceiling: boolean;
  /** A single Markdown file, as slash commands are written: `$1` is the first argument, and no other file belongs to it. */
  readonly isCommand?: true;
  /** Written in TOML as Gemini CLI's commands are: `{{args}}`, `!{command}` and `@{file}` in its text. */
  readonly isToml?: true;
  /** The kind of agent that carries it out, if it wants an agent with a context of its own. */
  readonly fork?: string;
}

/** The skills of a session. */
export interface Skills {
  list(): readonly Skill[];
  find(name: string): Skill | undefined;
  /** The text below the frontmatter, without the variables of its place. Fails if the file has gone. */
  text(name: string): Promise<string>;
  /** The other files in its folder, relative to it; bounded. */
  files(name: string): Promise<readonly string[]>;
  /** Starts its grants, denials and ceiling. They end with the user's next prompt. */
  begin(name: string): void;
}
