// Random scripts that change a small repository in every way that agents' commands do.
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";

/** A repository with clean, dirty and untracked files, links, modes and a folder. */
export function makeRepository(root: string): void {
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  for (const name of ["a", "b", "src/a", "src/b", "src/deep/c", "lib/x"]) put(name, `${name} one\n${name} two\n`);
  put("run.sh", "#!/bin/sh\necho hi\n", 0o755);
  put(".gitignore", "out/\n");
  symlinkSync("a", join(root, "link"));
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore", env: gitEnv });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("branch", "other");
  put("a", "a changed\n");
  put("untracked", "nobody has this\n");
  put("out/made", "ignored\n");
}

const person = { name: "A Person", email: "person@example.org" };
const gitEnv = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  ...{ GIT_AUTHOR_NAME: person.name, GIT_AUTHOR_EMAIL: person.email },
  ...{ GIT_COMMITTER_NAME: person.name, GIT_COMMITTER_EMAIL: person.email },
  ...{ GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" },
};

/** Variables with which the commands below commit without the user's settings. */
export const scriptEnv: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(gitEnv).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[0] !== "PATH"),
);

const path = fc.constantFrom(
  "a",
  "b",
  "src/a",
  "src/b",
  "src/deep/c",
  "lib/x",
  "run.sh",
  "link",
  "untracked",
  "new",
  "out/made",
);
const folder = fc.constantFrom("src", "src/deep", "lib", "out", "fresh");
const mode = fc.constantFrom("600", "644", "755", "444");
const to = fc.tuple(path, path);
/** Never into itself: how often `cp` then goes round depends on the order of names on disk. */
const folders = fc.tuple(folder, folder).filter(([from, target]) => !target.startsWith(from));

/** It comes last in its script: what git does with the file must not depend on speed. */
const LATE = "(sleep 0.05; echo late > late) &";

const step: fc.Arbitrary<string> = fc.oneof(
  path.map((a) => `sed -i s/one/1/ ${a}`),
  path.map((a) => `echo more >> ${a}`),
  path.map((a) => `rm -f ${a}`),
  path.map((a) => `touch ${a}`),
  path.map((a) => `truncate -s 3 ${a}`),
  to.map(([a, b]) => `mv ${a} ${b}`),
  to.map(([a, b]) => `cp -a ${a} ${b}`),
  to.map(([a, b]) => `ln -sfn ${a} ${b}`),
  to.map(([a, b]) => `ln -f ${a} ${b}`),
  fc.tuple(mode, path).map(([m, a]) => `chmod ${m} ${a}`),
  fc.tuple(fc.constantFrom("700", "755", "555"), folder).map(([m, d]) => `chmod ${m} ${d}`),
  folder.map((d) => `rm -rf ${d}`),
  folder.map((d) => `mkdir -p ${d}; echo x > ${d}/inside`),
  folder.map((d) => `rm -rf ${d}; mkdir ${d}; echo again > ${d}/c`),
  folder.map((d) => `rm -rf ${d}; echo file > ${d}`),
  folders.map(([d, e]) => `mv ${d} ${e}`),
  folders.map(([d, e]) => `cp -r ${d} ${e}`),
  path.map((a) => `rm -rf ${a}; mkdir ${a}; echo y > ${a}/y`),
  folder.map((d) => `mkfifo ${d}/pipe`),
  fc.constantFrom(
    "for i in 1 2 3 4 5 6 7 8 9; do mkdir -p nm/p$i/lib; echo $i > nm/p$i/lib/index.js; ln -s p$i nm/l$i; done",
    "git checkout -q -- .",
    "git stash -q",
    "git stash -q -u",
    "git stash pop -q",
    "git clean -fdxq",
    "git add -A && git commit -qm next",
    "git checkout -qf other",
    "git rm -rqf lib",
    "git mv b c",
    "git reset -q --hard",
    "git status",
    "printf 'n\\n' > 'odd name'$'\\n'",
    "echo x > $'latin-\\xe9'",
    LATE,
    "false",
  ),
);

/** A script of one to six steps; failing ones change nothing that a command that fails would not change. */
export const script: fc.Arbitrary<string> = fc
  .array(step, { minLength: 1, maxLength: 6 })
  .map((steps) => [...steps.filter((one) => one !== LATE), ...steps.filter((one) => one === LATE)].join("\n"));
