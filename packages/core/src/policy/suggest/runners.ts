import { basename } from "../../tool/index.ts";

/** Interpreters, shells, wrappers, runners of packages and containers, editors: their arguments decide what they do. */
const RUNNERS: ReadonlySet<string> = new Set(
  `
  sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd busybox alias eval exec source . mapfile readarray complete compgen bind node deno tsx ts-node python
  python2 python3 pypy ruby perl php lua R Rscript java osascript awk gawk mawk nawk sed ed ex vi vim nvim emacs
  expect tclsh env command builtin nohup nice ionice time timeout stdbuf setsid watch flock script xargs
  parallel find fd entr chroot unshare nsenter strace ltrace gdb lldb trap sudo su doas pkexec runuser npx bunx
  pnpx uvx pipx corepack mise direnv devbox nix nix-shell crontab ssh rsync tmux screen tar toybox setpriv prlimit
  taskset chrt numactl firejail bwrap proot fakeroot systemd-run gosu sg newgrp setarch linux32 linux64 valgrind perf
  rr catchsegv winpty zellij dtach at batch sem pyenv rbenv nodenv nvm fnm asdf volta pipenv conda mamba pdm rye hatch
  tox nox ansible ld.so ipython jupyter elixir iex erl ghci runghc stack cabal julia octave groovy scala kotlin clojure
  clj racket guile sbcl ocaml swift zig sbt crystal nim raku wasmtime qemu code subl watchexec nodemon concurrently
  hyperfine dotenv cross-env op aws-vault chamber doppler steam-run wine flatpak snap heroku vagrant foreman overmind
`
    .trim()
    .split(/\s+/),
);

/** Actions of other programs that run what their arguments name. */
const RUNNING_ACTIONS: Readonly<Record<string, string>> = {
  git: "submodule bisect filter-branch rebase difftool mergetool grep",
  npm: "exec x explore create init",
  pnpm: "exec dlx create",
  yarn: "exec dlx node create",
  bun: "x exec create",
  docker: "run exec",
  podman: "run exec",
  kubectl: "exec run debug",
  "docker compose": "run exec",
  "docker container": "run exec",
  "podman container": "run exec",
  go: "run generate tool",
  uv: "run tool",
  poetry: "run",
  bundle: "exec",
  gh: "api codespace",
  glab: "api",
  dotnet: "exec run",
  rails: "runner",
  mix: "run",
  gem: "exec",
  nx: "exec",
};

/** Whether a program runs its input, whatever its arguments. */
export const isRunner = (name: string): boolean =>
  RUNNERS.has(name) || /^(?:(?:python|ruby|perl|php|lua)[\d.]|ld-linux)/.test(name);

/** Whether a command's purpose is to start what its arguments name. */
export function startsOthers([program = "", ...words]: readonly string[]): boolean {
  const name = basename(program);
  return (
    isRunner(name) ||
    actionsIn(words).some(([action, object = ""]) => isRunning(name, action) || isRunning(`${name} ${action}`, object))
  );
}

/**
 * The words that may be the action, each with the next one. Options may stand before it, and one may have a value:
 * `npm -f x`, `docker --context a run`.
 */
function actionsIn(words: readonly string[]): readonly (readonly [action: string, object?: string])[] {
  const found: [string, string?][] = [];
  for (const [index, word] of words.entries()) {
    if (word.startsWith("-")) continue;
    found.push([word, words[index + 1]]);
    const before = words[index - 1];
    if (before === undefined || !before.startsWith("-") || before.includes("=")) break;
  }
  return found;
}

const isRunning = (program: string, action: string): boolean =>
  Object.hasOwn(RUNNING_ACTIONS, program) && (RUNNING_ACTIONS[program] ?? "").split(" ").includes(action);
