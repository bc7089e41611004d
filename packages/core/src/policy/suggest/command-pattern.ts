import { basename } from "../../tool/index.ts";

/** Programs whose next words say what they do, with the number of words (the program included) that name the action. */
const ACTION_WORDS: ReadonlyMap<string, number> = new Map([
  ["git", 2],
  ["gh", 3],
  ["glab", 3],
  ["npm", 2],
  ["npm run", 3],
  ["pnpm", 2],
  ["pnpm run", 3],
  ["yarn", 2],
  ["yarn run", 3],
  ["bun", 2],
  ["bun run", 3],
  ["deno task", 3],
  ["cargo", 2],
  ["rustup", 2],
  ["go", 2],
  ["go mod", 3],
  ["make", 2],
  ["just", 2],
  ["task", 2],
  ["docker", 2],
  ["docker compose", 3],
  ["podman", 2],
  ["kubectl", 2],
  ["helm", 2],
  ["terraform", 2],
  ["aws", 3],
  ["gcloud", 3],
  ["pip", 2],
  ["pip3", 2],
  ["poetry", 2],
  ["uv", 2],
  ["bundle", 2],
  ["gem", 2],
  ["rails", 2],
  ["mix", 2],
  ["dotnet", 2],
  ["mvn", 2],
  ["mvnw", 2],
  ["gradle", 2],
  ["gradlew", 2],
  ["composer", 2],
  ["brew", 2],
  ["apt", 2],
  ["apt-get", 2],
  ["systemctl", 2],
  ["journalctl", 1],
  ["turbo", 2],
  ["nx", 2],
  ["prisma", 2],
]);

/** Programs for which "any arguments" means "anything": interpreters, shells, wrappers, runners, removers, net clients. */
const NEVER: ReadonlySet<string> = new Set([
  ...[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
    "cmd",
    "busybox",
    "eval",
    "exec",
    "source",
    ".",
  ],
  ...[
    "node",
    "deno",
    "tsx",
    "ts-node",
    "python",
    "python2",
    "python3",
    "pypy",
    "ruby",
    "perl",
    "php",
    "lua",
    "R",
    "Rscript",
  ],
  ...[
    "java",
    "osascript",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    "ed",
    "ex",
    "vi",
    "vim",
    "nvim",
    "emacs",
    "expect",
    "tclsh",
  ],
  ...[
    "env",
    "command",
    "builtin",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "stdbuf",
    "setsid",
    "watch",
    "flock",
    "script",
  ],
  ...[
    "xargs",
    "parallel",
    "find",
    "fd",
    "entr",
    "chroot",
    "unshare",
    "nsenter",
    "strace",
    "ltrace",
    "gdb",
    "lldb",
    "trap",
  ],
  ...[
    "sudo",
    "su",
    "doas",
    "pkexec",
    "runuser",
    "npx",
    "bunx",
    "pnpx",
    "uvx",
    "pipx",
    "corepack",
    "mise",
    "direnv",
    "devbox",
    "nix",
    "nix-shell",
  ],
  ...[
    "rm",
    "rmdir",
    "dd",
    "shred",
    "mkfs",
    "chmod",
    "chown",
    "chgrp",
    "mv",
    "ln",
    "install",
    "kill",
    "pkill",
    "killall",
    "crontab",
    "at",
  ],
  ...[
    "curl",
    "wget",
    "http",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "ftp",
    "dig",
    "nslookup",
    "ping",
  ],
  ...[
    "psql",
    "mysql",
    "sqlite3",
    "mongosh",
    "redis-cli",
    "tmux",
    "screen",
    "open",
    "xdg-open",
    "tee",
    "cp",
    "tar",
    "unzip",
    "zip",
  ],
]);

/** Actions that run what their arguments name, or change what others run. */
const NEVER_ACTIONS: ReadonlySet<string> = new Set([
  ...[
    "git config",
    "git submodule",
    "git bisect",
    "git filter-branch",
    "git rebase",
    "git difftool",
    "git mergetool",
    "git clean",
  ],
  ...[
    "npm exec",
    "npm x",
    "npm explore",
    "npm config",
    "npm create",
    "npm init",
    "pnpm exec",
    "pnpm dlx",
    "pnpm create",
  ],
  ...["yarn exec", "yarn dlx", "yarn node", "yarn create", "bun x", "bun exec", "bun create", "deno task", "npm set"],
  ...["docker run", "docker exec", "podman run", "podman exec", "kubectl exec", "kubectl run", "kubectl debug"],
  ...[
    "docker compose run",
    "docker compose exec",
    "go run",
    "go generate",
    "go tool",
    "uv run",
    "uv tool",
    "poetry run",
    "bundle exec",
  ],
  ...[
    "gh api",
    "gh alias",
    "gh extension",
    "glab api",
    "dotnet exec",
    "dotnet run",
    "rails runner",
    "mix run",
    "gem exec",
    "nx exec",
  ],
]);

/** Words that a shell would not take as they are, or that a pattern would read as a wildcard. */
const UNSAFE = /[\s*?[\]{}()$`"'\\|&;<>~#!]/;

/**
 * The pattern that "always allow" offers for a command: the program and its action, with any arguments
 * (`git commit *`). None for a command that is more than one, and for programs with which any arguments would mean
 * anything: shells, interpreters, wrappers, runners.
 */
export function getCommandPattern(command: string | readonly string[]): string | undefined {
  const words = typeof command === "string" ? simpleWords(command) : command;
  const [program] = words;
  if (program === undefined || UNSAFE.test(program) || program.startsWith("-") || program.includes("="))
    return undefined;
  const name = basename(program);
  if (NEVER.has(name) || /^(?:python|ruby|perl|php|lua|mkfs)[\d.]/.test(name)) return undefined;

  const length = actionLength(name, words[1]);
  const action = words.slice(0, length);
  if (action.some((word, index) => index > 0 && (word.startsWith("-") || UNSAFE.test(word)))) return undefined;
  if ([2, 3].some((count) => NEVER_ACTIONS.has([name, ...words.slice(1, count)].join(" ")))) return undefined;
  // Without its action the program alone would stand for all of them.
  return action.length < length ? action.join(" ") : `${action.join(" ")} *`;
}

const actionLength = (name: string, second = ""): number =>
  ACTION_WORDS.get(`${name} ${second}`) ?? ACTION_WORDS.get(name) ?? 1;

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
