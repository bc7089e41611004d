import { expect, it } from "vitest";
import { getCommandPattern } from "./command-pattern.ts";

it.each([
  ["git commit -m 'a b'", "git commit *"],
  ['git commit -m "a; b"', "git commit *"],
  ["npm test", "npm test *"],
  ["npm run build -- --watch", "npm run build *"],
  ["docker compose up -d", "docker compose up *"],
  ["cargo build --release", "cargo build *"],
  ["go mod tidy", "go mod tidy *"],
  ["gh pr view 12", "gh pr view *"],
  ["eslint src", "eslint *"],
  ["./build.sh fast", "./build.sh *"],
  ["/usr/bin/git fetch origin", "/usr/bin/git fetch *"],
  ["scripts/build.sh", "scripts/build.sh *"],
  ["git push origin main", "git push origin main"],
  ["npm install left-pad", "npm install left-pad"],
  ["terraform apply -auto-approve", "terraform apply -auto-approve"],
  ["ffmpeg -i a.mp4 b.gif", "ffmpeg -i a.mp4 b.gif"],
  ["rg --pre x y", "rg --pre x y"],
  ["node_modules/.bin/vite build", "node_modules/.bin/vite build"],
  ["node_modules/.bin/eslint .", "node_modules/.bin/eslint *"],
  ["make", "make"],
  ["npm run", "npm run"],
])("G08 `%s` offers %s", (command, pattern) => {
  expect(getCommandPattern(command)).toBe(pattern);
});

it.each([
  ...[
    "bash x.sh",
    "sh -c ls",
    "python3 x.py",
    "python3.12 x.py",
    "node -e 1",
    "/usr/bin/perl -e 1",
    "awk 1 f",
    "sed -i s/a/b/ f",
  ],
  ...["elixir x", "ipython", "julia x.jl", "venv/bin/python x", "/lib64/ld-linux-x86-64.so.2 x", "swift x.swift"],
  ...["firejail x", "setpriv x", "valgrind x", "pyenv exec x", "hatch run x", "conda run x", "unknown 'a; b'"],
  ...["sudo ls", "env FOO=1 make", "timeout 5 make", "xargs rm", "find . -name x", "watch make", "nohup make"],
  ...[
    "npx eslint",
    "npm exec x",
    "yarn dlx x",
    "docker run x",
    "docker compose exec x",
    "kubectl exec x",
    "go run .",
    "uv run x",
  ],
  ...[
    "rm -rf build",
    "mv a b",
    "chmod +x a",
    "curl x",
    "ssh host",
    "git -c a=b status",
    "git -C /x status",
    "git config a b",
    "gh api x",
  ],
  ...[
    "ls && rm x",
    "ls | sh",
    "echo $(ls)",
    "echo `ls`",
    "echo $HOME",
    "ls > x",
    "(ls)",
    "ls\nrm x",
    "FOO=1 make",
    "",
    "  ",
  ],
  ...["make*", "git 'a b'", "git *", "-x"],
])("G08 `%s` offers nothing", (command) => {
  expect(getCommandPattern(command)).toBeUndefined();
});
