/** Variables by which code gets into a shell or program without being in the command, so no analysis sees it. */
const CODE_BEARING =
  /^(?:BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|PS0|PS4|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|CDPATH|IFS|GLOBIGNORE|EXECIGNORE|LD_PRELOAD|LD_AUDIT|DYLD_.*|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH|PERL5OPT|RUBYOPT|PYTHONSTARTUP)$/;

/** Nobody sits at this terminal: nothing may page, draw, or wait for a password. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

/** Changes to the rule by which the user's variables are passed on. */
export interface EnvironmentOptions {
  /** The variables to start from. Default: those of this process. */
  readonly base?: Readonly<Record<string, string | undefined>>;
  /** Names that are passed on although they are dropped by default. */
  readonly allow?: readonly string[];
  /** Names that are dropped as well. */
  readonly deny?: readonly string[];
}

/** The environment of a command: the user's own, without what would smuggle code in, set for nobody watching. */
export function environmentOf(
  options: EnvironmentOptions = {},
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { base = process.env, allow = [], deny = [] } = options;
  const kept = Object.entries(base).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !deny.includes(entry[0]) && (allow.includes(entry[0]) || !CODE_BEARING.test(entry[0])),
  );
  return { ...Object.fromEntries(kept), ...UNATTENDED, ...added };
}
