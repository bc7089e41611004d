import type { RunEffect } from "../../tool/index.ts";
import { programName } from "../pattern/command-forms.ts";
import { type CommandPattern, compileCommand } from "../pattern/command-pattern.ts";

/**
 * Commands that are refused in every mode, whatever the rules say. They change the acting user, answer in a person's
 * place, stop the machine or make file systems. A name means the program with any arguments; several words mean the
 * beginning of a command.
 */
export const FORBIDDEN_COMMANDS: readonly string[] = [
  "sudo",
  "sudoedit",
  "su",
  "doas",
  "pkexec",
  "runuser",
  "shutdown",
  "reboot",
  "halt",
  "poweroff",
  "telinit",
  "init 0",
  "init 6",
  "systemctl poweroff",
  "systemctl reboot",
  "systemctl halt",
  "systemctl kexec",
  "mkfs*",
  "mke2fs",
  "mkswap",
  "fdisk",
  "sfdisk",
  "parted",
  "wipefs",
  "Stop-Computer",
  "Restart-Computer",
  "Format-Volume",
  "Clear-Disk",
  "Initialize-Disk",
  "diskpart",
  "haft approvals allow",
  "haft trust",
  "haft mcp approve",
];

/** Programs that run the words after them, with the number of operands that come first. A safety net behind the shell analysis. */
const LAUNCHERS: ReadonlyMap<string, number> = new Map([
  ...["busybox", "env", "exec", "ionice", "nice", "nohup", "npx", "setsid", "stdbuf", "time", "watch", "xargs"].map(
    (name): [string, number] => [name, 0],
  ),
  ["timeout", 1],
  ["flock", 1],
  ["chroot", 1],
]);

/** Finds the forbidden command in a run effect. */
export type ForbiddenFinder = (run: RunEffect) => string | undefined;

/** Compiles a list of forbidden commands. Checks the program's bare name, wrappers, and the words after launchers. */
export function forbiddenFinder(commands: readonly string[], ignoresCase: boolean): ForbiddenFinder {
  const exact = new Set(commands.filter((command) => !/[*\s]/.test(command)));
  const patterns = commands.filter((command) => !exact.has(command)).map((command) => forbiddenPattern(command));
  const inLine = (words: readonly string[]): string | undefined => {
    const [program = "", ...operands] = words;
    const name = programName(program, ignoresCase);
    if (exact.has(name)) return name;
    return patterns.some((pattern) => pattern.matches([name, ...operands].join(" "))) ? name : undefined;
  };
  return (run) => {
    const direct = inLine(run.argv);
    if (direct !== undefined) return direct;
    for (const wrapper of run.wrappers ?? []) {
      const found = inLine([wrapper]);
      if (found !== undefined) return found;
    }
    const launched = launchedWords(run.argv, ignoresCase);
    return launched.length > 0 ? inLine(launched) : undefined;
  };
}

/** The command that a launcher would start: the words after its options, their numbers and its own operands. */
function launchedWords(argv: readonly string[], ignoresCase: boolean): readonly string[] {
  const operands = LAUNCHERS.get(programName(argv[0] ?? "", ignoresCase));
  if (operands === undefined) return [];
  const isSetting = (word: string) => /^[-+]|^\d+(?:\.\d+)?[smhd]?$|^\w+=/.test(word);
  const words = argv.slice(1);
  const first = words.findIndex((word) => !isSetting(word));
  if (first < 0) return [];
  const start = operands > 0 && !words.slice(0, first).some((word) => /^\d/.test(word)) ? first + operands : first;
  return words.slice(start);
}

const forbiddenPattern = (command: string): CommandPattern =>
  compileCommand(command.endsWith("*") ? command : `${command} *`);
