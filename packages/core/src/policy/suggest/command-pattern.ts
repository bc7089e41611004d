import { basename } from "../../tool/index.ts";
import { isRunner, startsOthers } from "./runners.ts";

/**
 * Actions that only check, build, test, show, stage or commit in the workspace, whatever their further arguments. `?`
 * is the name of a script. The list excludes actions that can delete, send, fetch a package, or start what an argument
 * names (`git fetch --upload-pack`, `make --eval`, `docker container run`).
 */
const ANY_FURTHER: ReadonlySet<string> = new Set(
  [
    ["npm", "test", "start", "run ?"],
    ["pnpm", "test", "run ?"],
    ["yarn", "test", "build", "run ?"],
    ["bun", "test", "run ?"],
    ["git", "add", "commit"],
    ["cargo", "build", "check", "test", "clippy", "fmt", "doc", "bench", "run"],
    ["go", "build", "test", "vet", "fmt", "mod tidy", "mod verify", "mod download"],
    ["docker", "compose up", "compose build", "compose ps", "compose logs"],
    ["kubectl", "get", "describe", "logs", "top", "explain"],
    ["helm", "lint", "list", "status"],
    ["terraform", "fmt", "validate", "plan"],
    ["gh", ...["view", "list", "status", "checks", "diff"].map((verb) => `pr ${verb}`)],
    ["gh", "issue view", "issue list", "issue status", "run view", "run list", "run watch", "repo view"],
    ["aws", "s3 ls"],
    ["pip", "list", "show", "check"],
    ["dotnet", "build", "test", "format"],
    ["mvn", "test", "compile", "package", "verify"],
    ["mvnw", "test", "compile", "package", "verify"],
    ["gradle", "test", "build", "check", "assemble"],
    ["gradlew", "test", "build", "check", "assemble"],
    ["mix", "test", "compile", "format"],
    ["rails", "test", "routes"],
    ["turbo", "run ?"],
    ["prisma", "generate", "validate", "format"],
    ["systemctl", "status"],
  ].flatMap(([program, ...actions]) => actions.map((action) => `${program} ${action}`)),
);

const HAS_ACTIONS: ReadonlySet<string> = new Set([...ANY_FURTHER].map((phrase) => phrase.split(" ")[0]!));

/** Programs that only check, build and test in the workspace, whatever their arguments. */
const ANY_ARGUMENTS: ReadonlySet<string> = new Set(
  `
  eslint prettier biome oxlint stylelint tsc jest vitest mocha ava pytest ruff black isort flake8 pylint mypy pyright
  rubocop rspec rustfmt gofmt goimports golangci-lint staticcheck clang-format clang-tidy shellcheck shfmt hadolint
  markdownlint yamllint actionlint
`
    .trim()
    .split(/\s+/),
);

/** Programs that are never offered, in addition to those that start others: removers, permission changers, net clients. */
const NEVER: ReadonlySet<string> = new Set(
  `
  rm rmdir dd shred mkfs chmod chown chgrp mv ln install kill pkill killall curl wget http nc ncat netcat socat telnet
  scp sftp ftp dig nslookup ping psql mysql sqlite3 mongosh redis-cli open xdg-open tee cp unzip zip
`
    .trim()
    .split(/\s+/),
);

/** Actions that change what others run or that cannot be undone. */
const NEVER_ACTIONS: Readonly<Record<string, string>> = {
  git: "config clean",
  npm: "config set",
  gh: "alias extension",
};

/** Words that a shell would not take literally, or that a pattern would read as a wildcard. */
const UNSAFE = /[\s*?[\]{}()$`"'\\|&;<>~#!]/;

/**
 * The pattern that "always allow" offers for a command. For an action known to be safe with any further arguments: the
 * program and its action (`git commit *`). A script by its path counts as known. Otherwise the exact command.
 * `undefined` for several commands in one, and for shells, interpreters, wrappers and runners.
 */
export function getCommandPattern(command: string | readonly string[]): string | undefined {
  const words = typeof command === "string" ? simpleWords(command) : command;
  const [program] = words;
  if (program === undefined || UNSAFE.test(program) || program.startsWith("-") || program.includes("="))
    return undefined;
  const name = basename(program);
  if (isTestRun(name, words)) return words.join(" ");
  if (isRunner(name) || NEVER.has(name) || /^mkfs\./.test(name)) return undefined;

  const [, action = "", object = ""] = words;
  if (HAS_ACTIONS.has(name) && (action.startsWith("-") || UNSAFE.test(action))) return undefined;
  if (isNever(name, action) || startsOthers(words)) return undefined;
  if (RUN_PROGRAMS.has(name) && (startsPrograms(action) || (action === "run" && startsPrograms(object))))
    return undefined;
  const known = knownLength(name, action, object);
  if (known > 0) return `${words.slice(0, known).join(" ")} *`;
  if (!HAS_ACTIONS.has(name) && (ANY_ARGUMENTS.has(name) || isScript(program))) return `${program} *`;
  return words.some((word) => UNSAFE.test(word)) ? undefined : words.join(" ");
}

/** Node's own test runner. Only the exact command: further options could name code to run. */
const isTestRun = (name: string, words: readonly string[]): boolean =>
  name === "node" &&
  words[1] === "--test" &&
  words.slice(1).every((word) => !UNSAFE.test(word) && (word.startsWith("--test") || !word.startsWith("-")));

/** The number of words, the program included, of an action that may have any further arguments; 0 if it may not. */
function knownLength(name: string, action: string, object: string): number {
  if (ANY_FURTHER.has(`${name} ${action}`)) return 2;
  const isScriptName = /^[\w][\w:-]*$/.test(object);
  return ANY_FURTHER.has(`${name} ${action} ${object}`) || (isScriptName && ANY_FURTHER.has(`${name} ${action} ?`))
    ? 3
    : 0;
}

/** Runners of scripts that may treat the script's name as an installed program or a file. */
const RUN_PROGRAMS: ReadonlySet<string> = new Set(["yarn", "pnpm", "bun"]);

const startsPrograms = (word: string): boolean => isRunner(word) || NEVER.has(word) || /[./]/.test(word);

/** A program of the workspace, named by its path. An installed program is known by its name or not at all. */
const isScript = (program: string): boolean => program.includes("/") && !/^\/|^\.\.|(?:^|\/)\.?bin\//.test(program);

const isNever = (program: string, action = ""): boolean =>
  Object.hasOwn(NEVER_ACTIONS, program) && (NEVER_ACTIONS[program] ?? "").split(" ").includes(action);

/** The words of a plain command; empty if a shell would treat anything as more than words. */
function simpleWords(command: string): readonly string[] {
  const isPlain = !/[|&;<>$`\n\\(){}]/.test(withoutQuoted(command));
  return isPlain
    ? command
        .trim()
        .split(/\s+/)
        .filter((word) => word !== "")
    : [];
}

/** Quoted text is an argument, whatever it contains; `$` and backticks still count in double quotes. */
const withoutQuoted = (command: string): string => command.replaceAll(/'[^']*'|"[^"$`\\]*"/g, "_");
