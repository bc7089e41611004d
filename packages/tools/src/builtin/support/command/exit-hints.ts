import { type Files, resolve } from "@haft/core/tool";
import { similarNames } from "../not-found.ts";

/** Output of a program before it failed, and its usual meaning: a remedy that the output itself does not name. */
interface Reading {
  /** Searched in the last lines of the output. */
  readonly says: RegExp;
  /** The remedy. It may include words of the match. */
  readonly cure: (found: RegExpMatchArray) => string;
}

/** Characters at the end of the output that are searched for a reason. */
const TAIL_CHARS = 8000;

const MISSING =
  /(?:cannot (?:access|open|stat) |can't (?:open|read) |: )['‘"]?([^\s'’":]+)['’"]?: No such file or directory/;
const notThere = (file: string | undefined, cure = "Look for it with Glob."): string =>
  `${file} does not exist, relative to the folder where the command ran. ${cure}`;

/** Specific ones first: the first match is used. */
const readings: readonly Reading[] = [
  {
    says: /\\r': command not found|\/usr\/bin\/env: ['‘][^'’\n]*\\r['’]|: bad interpreter: .*\^M/,
    cure: () => "The script has Windows line ends. Convert it: sed -i 's/\\r$//' FILE.",
  },
  {
    says: /(?:line \d+: |sh: \d+: |^)([^\s:]+): (?:command )?not found\s*$/m,
    cure: ([, name]) =>
      `${name} is not installed or not on PATH. Check with: command -v ${name}; ls node_modules/.bin venv/bin. Or use another program, or install it.`,
  },
  {
    says: /unexpected EOF while looking for matching|syntax error near unexpected token|syntax error: unexpected end of file/,
    cure: () =>
      "The shell could not read the script: a quote, bracket or here-document is not closed. Nothing after it ran.",
  },
  {
    says: /Unable to create '([^'\n]*\.lock)': File exists/,
    cure: ([, lock]) =>
      `Another git process holds ${lock}, or one died. Check whether one is running (pgrep -a git) and wait for it; remove the lock only if none is.`,
  },
  {
    says: /detected dubious ownership in repository at '([^'\n]*)'/,
    cure: ([, folder]) =>
      `The repository belongs to another user. For one command: git -c safe.directory=${folder} …; only the user can make that permanent.`,
  },
  {
    says: /Please tell me who you are|unable to auto-detect email address|empty ident name/,
    cure: () => "git has no author configured. Ask the user for name and email; do not invent them.",
  },
  {
    says: /local changes to the following files would be overwritten|Please commit your changes or stash them/,
    cure: () => "Nothing was changed. Look at git status and git diff first; these changes may be the user's.",
  },
  {
    says: /CONFLICT \(|Automatic merge failed|needs merge/,
    cure: () => "There are conflicts: git diff --name-only --diff-filter=U names the files. Resolve them or abort.",
  },
  {
    says: /not a git repository \(or any/,
    cure: () => "This folder is not in a git repository. Name the repository: git -C FOLDER …",
  },
  {
    says: /EADDRINUSE[^\n]*?:(\d+)\b|(?:[Aa]ddress already in use|port (\d+) (?:is )?already (?:in use|allocated))/,
    cure: ([, one, other]) =>
      `${(one ?? other) ? `Port ${one ?? other}` : "The port"} is in use. Find the process with ss -ltnp; use another port, or end the process if it is yours.`,
  },
  {
    says: /Could not resolve host|Temporary failure in name resolution|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Name or service not known/,
    cure: () => "The name could not be resolved: it is wrong, or commands have no network here. Do not retry.",
  },
  {
    says: /Permission denied \(publickey|Host key verification failed|could not read Username|terminal prompts disabled/,
    cure: () => "It asked for credentials, and nobody can type them. Ask the user.",
  },
  {
    says: /is not a (?:tty|terminal)|not a TTY|Inappropriate ioctl for device|cannot prompt|non-interactive/i,
    cure: () => "It needs a terminal, and there is none. Look for an option such as --yes, --no-input or --batch.",
  },
  {
    says: /ENOSPC|No space left on device|Disk quota exceeded/,
    cure: () => "The disk or quota is full. Check df -h . and df -i . before you try again.",
  },
  {
    says: /externally-managed-environment/,
    cure: () =>
      "Python packages go into an environment of the project: python3 -m venv .venv && .venv/bin/pip install …",
  },
  {
    says: /ModuleNotFoundError: No module named '([^'\n]+)'/,
    cure: ([, name]) =>
      `This Python does not have ${name}. Check whether the project has an environment (.venv/bin/python, poetry run, uv run) before installing it.`,
  },
  {
    says: /Cannot find (?:module|package) '([^'\n]+)'/,
    cure: ([, name]) =>
      /^[./]/.test(name ?? "")
        ? `${name} does not exist relative to the importing file; a build may be missing.`
        : `The package ${name} is not installed here. See package.json; then install with the project's package manager.`,
  },
  {
    says: /(?:Missing script|Unknown script|Command "[^"]+" not found)/,
    cure: () => "The project has no script of that name: npm run lists them.",
  },
  {
    says: /JavaScript heap out of memory|MemoryError|Cannot allocate memory|std::bad_alloc/,
    cure: () => "It ran out of memory. Process less at once, or raise its limit.",
  },
  {
    says: /Argument list too long/,
    cure: () => "Too many names in one command: use find … -exec … {} + or xargs.",
  },
  { says: /Too many open files/, cure: () => "The limit of open files is reached: see ulimit -n." },
  {
    says: /read-only file system/i,
    cure: () =>
      "That path is read-only. Use one in the workspace or $TMPDIR; a background job must list its workspace changes in writes.",
  },
  {
    says: /(?:line \d+: |^)(\.{0,2}\/[^\s:]+): Permission denied\s*$/m,
    cure: ([, file]) =>
      `No permission to run or open ${file}. Run a script with: bash ${file}; ls -l ${file} shows the permissions.`,
  },
  {
    says: /Permission denied|EACCES|Operation not permitted|EPERM/,
    cure: () =>
      "This user has no permission for that. Check the file and its folder with ls -ld; do not work around it.",
  },
  { says: MISSING, cure: ([, file]) => notThere(file) },
];

/** The remedy for the output of a failed program, if known. */
export function cureOf(said: string): string | undefined {
  const tail = said.slice(-TAIL_CHARS);
  for (const { says, cure } of readings) {
    const found = says.exec(tail);
    if (found) return cure(found);
  }
  return undefined;
}

/**
 * A hint that a file is missing, with similar names. The lookup is allowed only if the command itself read their
 * folder; otherwise the port refuses, and nothing is added.
 */
export async function withNearNames(hint: string, said: string, cwd: string, files: Files): Promise<string> {
  const file = MISSING.exec(said.slice(-TAIL_CHARS))?.[1];
  if (file === undefined || hint !== notThere(file)) return hint;
  const near = await similarNames(files, resolve(cwd, file));
  return near.length === 0 ? hint : notThere(file, `Did you mean ${near.join(" or ")}?`);
}

/** The meaning of the signal, or of the exit code that represents it. */
export function endingOf(exitCode: number | null, signal: string | undefined): string | undefined {
  const by = signal ?? (exitCode !== null && exitCode > 128 ? signals[exitCode - 128] : undefined);
  return by === undefined ? undefined : endings[by];
}

const signals: Readonly<Record<number, string>> = {
  4: "SIGILL",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
};

const endings: Readonly<Record<string, string>> = {
  SIGKILL: "The system probably killed it for using too much memory. Process less at once.",
  SIGSEGV: "It crashed (invalid memory access): retrying rarely helps.",
  SIGABRT: "It aborted: see its last output for the reason.",
  SIGILL: "It was built for a different processor.",
  SIGFPE: "It crashed on a division by zero or the like.",
  SIGPIPE: "The reader of its output closed early; in a pipe with head that is not a failure.",
  SIGTERM: "Another process terminated it.",
};
