import { basename, type RunEffect } from "../../tool/index.ts";
import { type CommandPattern, commandLine } from "./command-pattern.ts";

/**
 * Assignments that an allow rule may ignore: they change words and colours, but not what runs. `LC_*` and the like end
 * in a star.
 */
export const SAFE_ASSIGNMENTS: readonly string[] = [
  "NODE_ENV",
  "CI",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "NO_COLOR",
  "FORCE_COLOR",
  "CLICOLOR",
  "CLICOLOR_FORCE",
  "COLORTERM",
  "TERM",
  "COLUMNS",
  "LINES",
  "DEBIAN_FRONTEND",
  "RUST_BACKTRACE",
  "RUST_LOG",
  "CARGO_TERM_COLOR",
  "GOOS",
  "GOARCH",
  "PYTHONUNBUFFERED",
  "PYTHONDONTWRITEBYTECODE",
];

/** Programs in front of another command that an allow rule may ignore. */
export const TRANSPARENT_WRAPPERS: ReadonlySet<string> = new Set([
  "timeout",
  "time",
  "nice",
  "nohup",
  "stdbuf",
  "command",
  "builtin",
  "noglob",
  "xargs",
]);

/** Programs that run the text after `-c`. */
const TAKES_TEXT = /^(?:(?:ba|da|a|z|k|mk)?sh|su|runuser|script)$/;

/** Programs that start the command after them: only a rule without a wildcard approves them. */
const ONLY_EXACTLY: ReadonlySet<string> = new Set(["watch", "setsid", "ionice", "flock"]);

/** The same for the commands that they start: `find` in front of a command means that it came from -exec. */
const ONLY_EXACTLY_BEHIND: ReadonlySet<string> = new Set([...ONLY_EXACTLY, "find"]);

/** Options that make `find` act instead of only searching. */
const ACTING_FIND = /^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/;

const safeNames: ReadonlySet<string> = new Set(SAFE_ASSIGNMENTS.filter((name) => !name.endsWith("*")));
const safePrefixes = SAFE_ASSIGNMENTS.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

/**
 * Every line by which a deny or ask rule may mean a command: as written, word by word, by the program's bare name, and
 * with the wrappers before it. Ignores assignments.
 */
export function looseForms(run: RunEffect, ignoresCase: boolean): string[] {
  const plain = run.argv.join(" ");
  const forms = [plain];
  if (run.text !== plain) forms.push(run.text);
  const line = commandLine(run.argv);
  if (line !== plain) forms.push(line);
  const [program = "", ...operands] = run.argv;
  const bare = programName(program, ignoresCase);
  if (bare !== program) forms.push([bare, ...operands].join(" "));
  const wrappers = run.wrappers ?? [];
  for (const [index, wrapper] of wrappers.entries()) {
    const rest = [...wrappers.slice(index + 1), bare, ...operands].join(" ");
    const name = programName(wrapper, ignoresCase);
    forms.push(`${wrapper} ${rest}`, `${name} ${rest}`);
    // Commands in the text of a shell are judged separately. The text still counts as the shell's argument.
    if (TAKES_TEXT.test(name))
      for (const shell of new Set([wrapper, name])) forms.push(`${shell} -c ${rest}`, `${shell} -lc ${rest}`);
  }
  return forms;
}

/**
 * The command with options before its first word removed, each with and without the word after it. So `git -C sub push`
 * is `git push` for a rule that forbids that. Only a rule with a wildcard matches this form.
 */
export function pastOptions({ argv }: RunEffect, ignoresCase: boolean): (readonly string[])[] {
  const starts = new Set([1]);
  for (const start of starts) {
    if (!argv[start]?.startsWith("-") || argv[start] === "--") continue;
    for (const next of [start + 1, start + 2]) if (next < argv.length) starts.add(next);
  }
  starts.delete(1);
  const name = programName(argv[0] ?? "", ignoresCase);
  return [...starts].map((start) => [name, ...argv.slice(start)]);
}

/** Whether an allow rule's pattern means this command: exactly what will run, and nothing that could change it. */
export function allowsCommand(pattern: CommandPattern, run: RunEffect): boolean {
  if (!pattern.isExact && isOnlyExact(run)) return false;
  const risky = riskyParts(run);
  // Parts that could change the command's meaning have to be in the rule, word for word.
  if (risky.length > 0) return risky.every((part) => pattern.words.includes(part)) && pattern.matches(run.text);
  return pattern.matches(run.text) || pattern.matches(commandLine(run.argv));
}

/** The lines by which an index finds the allow rules that could mean this command. */
export function strictForms(run: RunEffect): string[] {
  const line = commandLine(run.argv);
  return line === run.text ? [line] : [line, run.text];
}

/** The name of a program without its folder, and without `.exe` on systems that find files without it. */
export function programName(program: string, ignoresCase: boolean): string {
  const name = basename(program.replaceAll("\\", "/"));
  return ignoresCase ? name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, "") : name;
}

/** Whether an assignment (`NAME=value`) only changes words and colours. */
export function isSafeAssignment(assign: string): boolean {
  const name = assign.split("=", 1)[0] ?? "";
  return assign.includes("=") && (safeNames.has(name) || safePrefixes.some((prefix) => name.startsWith(prefix)));
}

/** Whether only assignments and wrappers precede a command that an allow rule may ignore. */
export const isPlainlyStarted = (run: RunEffect): boolean => riskyParts(run).length === 0;

function riskyParts(run: RunEffect): string[] {
  const wrappers = (run.wrappers ?? []).filter((wrapper) => !isTransparent(wrapper, run.text));
  return [...(run.assigns ?? []).filter((assign) => !isSafeAssignment(assign)), ...wrappers];
}

/** `xargs` is ignored only without options of its own. */
const isTransparent = (wrapper: string, text: string): boolean =>
  TRANSPARENT_WRAPPERS.has(wrapper) && !(wrapper === "xargs" && /(?:^|\s)xargs\s+-/.test(text));

function isOnlyExact(run: RunEffect): boolean {
  const [program = "", ...operands] = run.argv;
  const name = basename(program);
  if (run.wrappers?.some((wrapper) => ONLY_EXACTLY_BEHIND.has(basename(wrapper)))) return true;
  return ONLY_EXACTLY.has(name) || (name === "find" && operands.some((operand) => ACTING_FIND.test(operand)));
}
