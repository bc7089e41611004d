import { basename } from "../../tool/index.ts";

/** Programs whose second word says what they do; those below need a third, some only after a certain second. */
const TWO_WORDS: ReadonlySet<string> = new Set(
  `
  git npm pnpm yarn bun cargo rustup go make just task docker podman kubectl helm terraform pip pip3 poetry uv
  bundle gem rails mix dotnet mvn mvnw gradle gradlew composer brew apt apt-get systemctl turbo nx prisma
`
    .trim()
    .split(/\s+/),
);

const THREE_WORDS: ReadonlySet<string> = new Set([
  "gh",
  "glab",
  "npm run",
  "pnpm run",
  "yarn run",
  "bun run",
  "go mod",
  "docker compose",
  "aws",
  "gcloud",
]);

/** Programs that check, build and test what is in the workspace, whatever their arguments are. */
const ANY_ARGUMENTS: ReadonlySet<string> = new Set(
  `
  eslint prettier biome oxlint stylelint tsc jest vitest mocha ava pytest ruff black isort flake8 pylint mypy pyright
  rubocop rspec rustfmt gofmt goimports golangci-lint staticcheck clang-format clang-tidy shellcheck shfmt hadolint
  markdownlint yamllint actionlint buf protoc gcc g++ cc c++ clang clang++ javac cmake ctest ninja meson
`
    .trim()
    .split(/\s+/),
);

/** Programs that are not offered at all: interpreters, shells, wrappers, runners, removers, net clients. */
const NEVER: ReadonlySet<string> = new Set(
  `
  sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd busybox eval exec source . node deno tsx ts-node python
  python2 python3 pypy ruby perl php lua R Rscript java osascript awk gawk mawk nawk sed ed ex vi vim nvim emacs
  expect tclsh env command builtin nohup nice ionice time timeout stdbuf setsid watch flock script xargs
  parallel find fd entr chroot unshare nsenter strace ltrace gdb lldb trap sudo su doas pkexec runuser npx bunx
  pnpx uvx pipx corepack mise direnv devbox nix nix-shell rm rmdir dd shred mkfs chmod chown chgrp mv ln install
  kill pkill killall crontab at curl wget http nc ncat netcat socat telnet ssh scp sftp rsync ftp dig nslookup
  ping psql mysql sqlite3 mongosh redis-cli tmux screen open xdg-open tee cp tar unzip zip toybox setpriv prlimit
  taskset chrt numactl firejail bwrap proot fakeroot systemd-run gosu sg newgrp setarch linux32 linux64 valgrind perf
  rr catchsegv winpty zellij dtach at batch sem pyenv rbenv nodenv nvm fnm asdf volta pipenv conda mamba pdm rye hatch
  tox nox ansible ld.so ipython jupyter elixir iex erl ghci runghc stack cabal julia octave groovy scala kotlin clojure
  clj racket guile sbcl ocaml swift zig sbt crystal nim raku wasmtime qemu code subl
`
    .trim()
    .split(/\s+/),
);

/** Actions that run what their arguments name, or change what others run. */
const NEVER_ACTIONS: Readonly<Record<string, string>> = {
  git: "config submodule bisect filter-branch rebase difftool mergetool clean",
  npm: "exec x explore config create init set",
  pnpm: "exec dlx create",
  yarn: "exec dlx node create",
  bun: "x exec create",
  docker: "run exec",
  podman: "run exec",
  kubectl: "exec run debug",
  "docker compose": "run exec",
  go: "run generate tool",
  uv: "run tool",
  poetry: "run",
  bundle: "exec",
  gh: "api alias extension",
  glab: "api",
  dotnet: "exec run",
  rails: "runner",
  mix: "run",
  gem: "exec",
  nx: "exec",
};

/** Actions whose arguments are the whole matter: which package, which remote, which host. Offered as they were written. */
const ONE_BY_ONE: ReadonlySet<string> = new Set(
  "install i add ci update upgrade publish push apply destroy delete rm remove deploy link".split(" "),
);

/** Words that a shell would not take as they are, or that a pattern would read as a wildcard. */
const UNSAFE = /[\s*?[\]{}()$`"'\\|&;<>~#!]/;

/**
 * The pattern that "always allow" offers for a command. Where it is known what the program does, whatever its arguments
 * are: the program and its action (`git commit *`); a script by its path counts as known. Otherwise the command as it
 * is. None for a command that is more than one, and for shells, interpreters, wrappers and runners.
 */
export function getCommandPattern(command: string | readonly string[]): string | undefined {
  const words = typeof command === "string" ? simpleWords(command) : command;
  const [program] = words;
  if (program === undefined || UNSAFE.test(program) || program.startsWith("-") || program.includes("="))
    return undefined;
  const name = basename(program);
  if (NEVER.has(name) || /^(?:(?:python|ruby|perl|php|lua|mkfs)[\d.]|ld-linux)/.test(name)) return undefined;

  const length = actionLength(name, words[1]);
  const action = words.slice(0, length);
  if (action.some((word, index) => index > 0 && (word.startsWith("-") || UNSAFE.test(word)))) return undefined;
  if (isNever(name, words[1]) || isNever(`${name} ${words[1]}`, words[2])) return undefined;
  // Without its action the program alone would stand for all of them.
  if (action.length < length) return action.join(" ");
  const isKnown = length > 1 ? !ONE_BY_ONE.has(action.at(-1)!) : ANY_ARGUMENTS.has(name) || isScript(program);
  if (isKnown) return `${action.join(" ")} *`;
  return words.some((word) => UNSAFE.test(word)) ? undefined : words.join(" ");
}

/** A program of the workspace's own, named by its path; what was installed into it is known by its name or not at all. */
const isScript = (program: string): boolean => program.includes("/") && !/^\/|^\.\.|(?:^|\/)\.?bin\//.test(program);

const isNever = (program: string, action = ""): boolean =>
  Object.hasOwn(NEVER_ACTIONS, program) && (NEVER_ACTIONS[program] ?? "").split(" ").includes(action);

/** How many words, the program included, name the action. */
function actionLength(name: string, second = ""): number {
  if (THREE_WORDS.has(name) || THREE_WORDS.has(`${name} ${second}`)) return 3;
  return TWO_WORDS.has(name) ? 2 : 1;
}

/** The words of a plain command; of anything that a shell would treat as more than words, none. */
function simpleWords(command: string): readonly string[] {
  const isPlain = !/[|&;<>$`\n\\(){}]/.test(withoutQuoted(command));
  return isPlain
    ? command
        .trim()
        .split(/\s+/)
        .filter((word) => word !== "")
    : [];
}

/** Quoted text is an argument, whatever it holds; `$` and backticks still count in double quotes. */
const withoutQuoted = (command: string): string => command.replaceAll(/'[^']*'|"[^"$`\\]*"/g, "_");
