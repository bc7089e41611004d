import type { ShellSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";
import { inPlainLetters } from "./letters.ts";

/** Variables that inject code into a shell or program. The code is not in the command, so no analysis sees it. */
const CODE_BEARING =
  /^(?:BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|PS0|PS4|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|CDPATH|IFS|GLOBIGNORE|EXECIGNORE|LD_PRELOAD|LD_AUDIT|DYLD_.*|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH|PERL5OPT|RUBYOPT|PYTHONSTARTUP)$/;

/** Nobody is at the terminal: no program may page, draw, or wait for a password. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

/** The same for programs that commands start: what they load or run, and where they find such settings. */
const LOADING =
  /^(?:HOME|XDG_CONFIG_HOME|TAR_OPTIONS|ZIPOPT|LD_.*|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|HOME|BREAKPOINT|INSPECT)|PERL5?LIB|PERL5DB|RUBYLIB|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_(?:DIR|COMMON_DIR|WORK_TREE|SSH|SSH_COMMAND|ASKPASS|EDITOR|SEQUENCE_EDITOR|EXEC_PATH|TEMPLATE_DIR|CONFIG.*)|SSH_ASKPASS|SUDO_ASKPASS|EDITOR|VISUAL|BROWSER)$/;

/**
 * The variables of a configured shell.
 *
 * @throws HaftError `validation_failed` for an invalid name, or one that injects code into a program.
 */
export function shellEnvironment(shell: ShellSettings): Readonly<Record<string, string>> {
  const { columns, rows, pager, color, env = {} } = shell;
  for (const [name, value] of Object.entries(env)) checkVariable(name, value);
  if (pager?.includes("\0")) refuse("pager holds a NUL character.", "Remove it.");
  return {
    ...(columns === undefined ? {} : { COLUMNS: `${columns}` }),
    ...(rows === undefined ? {} : { LINES: `${rows}` }),
    ...(pager === undefined ? {} : { PAGER: pager, GIT_PAGER: pager, MANPAGER: pager, SYSTEMD_PAGER: pager }),
    ...(color === true ? { TERM: "xterm-256color", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" } : {}),
    ...(color === false ? { NO_COLOR: "1" } : {}),
    ...env,
  };
}

function checkVariable(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || value.includes("\0"))
    refuse(`env: ${JSON.stringify(name)} cannot be a variable of the environment.`, "Use letters, digits and _ only.");
  if (CODE_BEARING.test(name) || LOADING.test(name))
    refuse(
      `env: ${name} injects code into programs, and rules could not see it.`,
      "Remove it, and put the code into the command.",
    );
}

const refuse = (problem: string, cure: string): never => fail("validation_failed", `shell.${problem}`, cure);

/** Changes to the rule for passing on the user's variables. */
export interface EnvironmentOptions {
  /** The variables to start from. Default: those of this process. */
  readonly base?: Readonly<Record<string, string | undefined>>;
  /** Names that are passed on although they are dropped by default. */
  readonly allow?: readonly string[];
  /** Names that are dropped as well. */
  readonly deny?: readonly string[];
  /** Overrides the base, see `shellEnvironment`. */
  readonly set?: Readonly<Record<string, string>>;
}

/** The environment of a command: the user's own, without variables that inject code, and set for unattended use. */
export function environmentOf(
  options: EnvironmentOptions = {},
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { base = process.env, allow = [], deny = [], set = {} } = options;
  const kept = Object.entries(base).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !deny.includes(entry[0]) && (allow.includes(entry[0]) || !CODE_BEARING.test(entry[0])),
  );
  return inPlainLetters({ ...Object.fromEntries(kept), ...UNATTENDED, ...set, ...added });
}
