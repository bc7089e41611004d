import type { Changer } from "./change.ts";

const OUTPUT: Changer = { options: "--output=> -o=>> --output-directory=>>" };
const LOOKING = ["--check", "--stat", "--numstat", "--summary"] as const;

/** Changes of git to the working tree, or files that it creates elsewhere. Moving from one commit to another is not listed: it may
 * change anything. */
export const gitChangers: Readonly<Record<string, readonly Changer[]>> = {
  checkout: [
    {
      options: "-b= -B= --orphan= --conflict= --pathspec-from-file=",
      operands: "all",
      tree: true,
      unless: ["-b", "-B", "--orphan"],
    },
  ],
  restore: [{ options: "-s= --source= --conflict= --pathspec-from-file=", operands: "all", tree: true }],
  rm: [{ operands: "all", tree: ["-r"], change: "delete", unless: ["-n", "--dry-run"] }],
  mv: [{ operands: "into", sources: "gone", unless: ["-n", "--dry-run"] }],
  clean: [{ options: "-e= --exclude=", operands: "all", tree: true, folder: "alone", unless: ["-n", "--dry-run"] }],
  apply: [{ options: "--directory=>> -p= -C= --include= --exclude=", folder: "always", unless: LOOKING }],
  am: [{ options: "--directory=>> -p= -C= --include= --exclude=", folder: "always" }],
  init: [
    {
      options: "-b= --template= --separate-git-dir=>> --initial-branch= --object-format=",
      operands: "all",
      tree: true,
    },
  ],
  clone: [
    {
      options:
        "-b= -o= -u= -c= -j= --branch= --origin= --depth= --reference= --separate-git-dir=>> --config= --template= --filter= --jobs=",
      operands: "second",
      tree: true,
      change: "create",
    },
  ],
  archive: [{ options: "-o=> --output=> --format= --prefix= --remote=" }],
  "format-patch": [{ ...OUTPUT, options: "-o=>> --output-directory=>> --output=>" }],
  diff: [OUTPUT],
  log: [OUTPUT],
  show: [OUTPUT],
  config: [{ options: "-f=> --file=> --blob=", unless: ["--get", "--list", "-l", "--get-all", "--get-regexp"] }],
  "checkout-index": [{ options: "--prefix=>> --stage=", operands: "all", folder: "alone" }],
  // The second word selects the action.
  "stash pop": [{ folder: "always" }],
  "stash apply": [{ folder: "always" }],
  "worktree add": [{ options: "-b= -B= --reason=", operands: "first", tree: true, change: "create" }],
  "worktree remove": [{ operands: "first", tree: true }],
  "worktree move": [{ operands: "into", sources: "gone" }],
  "submodule add": [{ options: "-b= --name= --reference= --depth=", operands: "second", tree: true, change: "create" }],
  "bundle create": [{ operands: "first", change: "replace" }],
};
