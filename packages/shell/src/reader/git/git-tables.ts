import { type OptionTable, options } from "../options.ts";

/** The kind of a git command's operands: revisions and paths below the folder, files anywhere, plain text, or not allowed. */
export interface GitGrammar {
  readonly options: OptionTable;
  readonly operands: "revisions" | "files" | "text" | "none";
  /** Operands are allowed only with one of these. */
  readonly operandsWith?: readonly string[];
  readonly most?: number;
  /** The first operand must be one of these words. */
  readonly verbs?: readonly string[];
  /** Forbidden first operands: they would be commands that change something. */
  readonly notVerbs?: readonly string[];
  /** Words that require an option. */
  readonly verbNeeds?: Readonly<Record<string, string>>;
  /** One of these must be given. */
  readonly needs?: readonly string[];
  readonly strict?: boolean;
  /** Without one of these it changes something. */
  readonly with?: readonly string[];
}

// --output writes, --ext-diff and --textconv run programs, -O reads an order file, so they are not listed.
const DIFF =
  "-pusRabwzcW -U[=] -M[=] -C[=] -B[=] -l= -S= -G= -X[=] --patch --no-patch --unified[=] --raw --patch-with-raw --indent-heuristic --minimal " +
  "--patience --histogram --diff-algorithm= --stat[=] --stat-width= --stat-name-width= --stat-count= --compact-summary --numstat " +
  "--shortstat --dirstat[=] --summary --patch-with-stat --name-only --name-status --submodule[=] --color[=] --no-color --color-moved[=] " +
  "--word-diff[=] --word-diff-regex= --color-words[=] --no-renames --find-renames[=] --find-copies[=] --check --full-index --binary " +
  "--abbrev[=] --find-copies-harder --diff-filter= --pickaxe-all --pickaxe-regex --relative[=] --text --ignore-cr-at-eol --ignore-space-at-eol " +
  "--ignore-space-change --ignore-all-space --ignore-blank-lines --inter-hunk-context= --function-context --exit-code --quiet " +
  "--no-ext-diff --no-textconv --ignore-submodules[=] --src-prefix= --dst-prefix= --no-prefix --line-prefix= --irreversible-delete";
const LOG =
  "-# -gmtiFEPqr0 -n= -L= -s --oneline --pretty[=] --format= --abbrev-commit --no-abbrev-commit --graph --decorate[=] --no-decorate --all " +
  "--branches[=] --tags[=] --remotes[=] --glob= --exclude= --max-count= --skip= --since= --after= --until= --before= --author= " +
  "--committer= --grep= --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings " +
  "--perl-regexp --merges --no-merges --min-parents= --max-parents= --first-parent --reverse --follow --date= --date-order " +
  "--topo-order --author-date-order --name-only --full-history --simplify-by-decoration --simplify-merges --ancestry-path " +
  "--cherry-pick --left-right --left-only --right-only --cherry --cherry-mark --boundary --walk-reflogs --no-walk[=] --source " +
  "--parents --children --relative-date --notes[=] --no-notes --show-notes --encoding= --expand-tabs[=] --no-expand-tabs --full-diff " +
  "--cc --diff-merges= --log-size --show-pulls --sparse --dense --not --remove-empty --use-mailmap --no-mailmap --clear-decorations";
const BLAME =
  "-bcefklnpstw -L= -M[=] -C[=] -S=< --root --show-stats --porcelain --line-porcelain --incremental --show-name --show-number " +
  "--show-email --date= --abbrev[=] --since= --reverse= --first-parent --color-lines --color-by-age --ignore-rev=";
const LIST =
  "--sort= --format= --color[=] --no-color --contains=? --no-contains=? --merged=? --no-merged=? --points-at=? --column[=] --no-column";

const log: GitGrammar = { operands: "revisions", options: options(DIFF, LOG) };

/** The forms of git commands that change nothing. `git log` and similar commands never run external diffs; `git diff` may, by
 * configuration. */
export const gitReaders: Readonly<Record<string, GitGrammar>> = {
  status: {
    operands: "revisions",
    options: options(
      "-sbuvz -u[=] --short --branch --porcelain[=] --long --verbose --untracked-files[=] --ignored[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --show-stash --null",
    ),
  },
  log,
  show: log,
  whatchanged: log,
  reflog: { ...log, notVerbs: ["expire", "delete", "drop", "write"] },
  diff: {
    operands: "revisions",
    options: options(DIFF, "--cached --staged --merge-base --base --ours --theirs -0123 --no-index"),
  },
  "diff-tree": {
    operands: "revisions",
    options: options(DIFF, "-rtmvsqc --root --stdin --no-commit-id --pretty[=] --format= --cc --always"),
  },
  "diff-index": { operands: "revisions", options: options(DIFF, "-m --cached --merge-base") },
  "diff-files": { operands: "revisions", options: options(DIFF, "-0123q") },
  "range-diff": {
    operands: "revisions",
    options: options(DIFF, "--creation-factor= --no-dual-color --left-only --right-only"),
  },
  branch: {
    operands: "text",
    // Not -l: with an operand older versions create a branch.
    operandsWith: ["--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"],
    options: options(
      "-arvl -i --all --remotes --verbose --list --show-current --ignore-case --abbrev[=] --no-abbrev",
      LIST,
    ),
  },
  tag: { operands: "text", operandsWith: ["-l", "--list"], options: options("-li -n[=] --list --ignore-case", LIST) },
  remote: {
    operands: "text",
    verbs: ["get-url", "show"],
    verbNeeds: { show: "-n" },
    options: options("-vn --verbose --all --push"),
  },
  stash: {
    operands: "revisions",
    verbs: ["list", "show"],
    needs: [],
    options: options(DIFF, LOG, "-u --include-untracked --only-untracked"),
  },
  "ls-files": {
    operands: "revisions",
    options: options(
      "-cdmoiskuztvf -x= --cached --deleted --modified --others --ignored --stage --killed --unmerged --directory --no-empty-directory --eol --exclude= --exclude-standard --full-name --error-unmatch --abbrev[=] --debug --deduplicate --format= --recurse-submodules",
    ),
  },
  "ls-tree": {
    operands: "revisions",
    options: options(
      "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=] --format=",
    ),
  },
  "rev-parse": {
    operands: "revisions",
    options: options(
      "-q --verify --quiet --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --show-object-format[=] --git-path= --all --branches[=] --tags[=] --remotes[=] --revs-only --no-revs --flags --no-flags --sq --not --since= --until= --default= --path-format=",
    ),
  },
  "rev-list": {
    operands: "revisions",
    options: options(
      LOG,
      "--count --objects --objects-edge --header --timestamp --disk-usage[=] --no-object-names --pretty[=] --quiet",
    ),
  },
  // --dirty and --broken write the index back regardless of the lock setting, and then run a hook.
  describe: {
    operands: "text",
    options: options(
      "--all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent",
    ),
  },
  blame: { operands: "revisions", options: options(BLAME) },
  annotate: { operands: "revisions", options: options(BLAME) },
  "check-ref-format": { operands: "text", options: options("--branch --allow-onelevel --normalize") },
  shortlog: {
    operands: "revisions",
    options: options(
      "-nsec -w[=] --numbered --summary --email --committer --group= --no-merges --all --since= --until= --author= --format= --grep= --date=",
    ),
  },
  grep: {
    operands: "revisions",
    options: options(
      "-aIirnHhlLcowvEGFPpWzqt -# -A= -B= -C= -e= -m= --cached --no-index --untracked --text --ignore-case --recursive --no-recursive --max-depth= --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --count --color[=] --no-color --break --heading --show-function --context= --after-context= --before-context= --function-context --and --or --not --all-match --quiet --full-name --null --only-matching --threads= --max-count= --exclude-standard --no-exclude-standard",
    ),
  },
  // Only as stored: --textconv and --filters run programs, --batch-command reads more commands.
  "cat-file": {
    operands: "revisions",
    options: options("-pste --allow-unknown-type --batch-check[=] --batch-all-objects --unordered --buffer"),
  },
  "merge-base": {
    operands: "revisions",
    options: options("-a --all --octopus --is-ancestor --independent --fork-point"),
  },
  "name-rev": {
    operands: "revisions",
    options: options("--tags --refs= --exclude= --all --name-only --no-undefined --always"),
  },
  "for-each-ref": {
    operands: "text",
    options: options("--count= --shell --perl --python --tcl --ignore-case --omit-empty", LIST),
  },
  "show-ref": {
    operands: "text",
    options: options(
      "-qds --head --heads --tags --branches --dereference --hash[=] --verify --abbrev[=] --quiet --exists",
    ),
  },
  "show-branch": {
    operands: "text",
    options: options(
      "-arg[=] --all --remotes --list --topo-order --date-order --sha1-name --no-name --merge-base --independent --current --color --no-color",
    ),
  },
  "symbolic-ref": { operands: "text", most: 1, options: options("-q --quiet --short --recurse --no-recurse") },
  "check-ignore": {
    operands: "revisions",
    options: options("-qvzn --quiet --verbose --non-matching --no-index --stdin"),
  },
  "check-attr": { operands: "revisions", options: options("-az --all --cached --stdin") },
  fsck: {
    operands: "none",
    options: options(
      "-v --full --no-full --no-dangling --connectivity-only --no-progress --unreachable --root --tags --strict",
    ),
  },
  "count-objects": { operands: "none", options: options("-vH --verbose --human-readable") },
  cherry: { operands: "revisions", options: options("-v --verbose --abbrev[=]") },
  worktree: { operands: "text", verbs: ["list"], needs: [], options: options("-vz --verbose --porcelain --expire=") },
  submodule: {
    operands: "text",
    verbs: ["status"],
    options: options("-q --quiet --cached --recursive"),
  },
  notes: { operands: "text", verbs: ["list", "show"], needs: [], options: options("--ref=") },
  bisect: { operands: "text", verbs: ["log"], needs: [], options: options("") },
  help: {
    operands: "none",
    needs: ["-a", "-g", "--all", "--guides"],
    options: options("-ag --all --guides --no-external-commands --no-aliases"),
  },
  version: { operands: "none", options: options("--build-options") },
  var: { operands: "text", most: 1, options: options("-l") },
  // Each of these options turns the actual application off.
  apply: {
    operands: "files",
    with: ["--stat", "--numstat", "--summary", "--check"],
    options: options(
      "-vqRz -p= --stat --numstat --summary --check --verbose --quiet --reverse --exclude= --include= --directory= --recount --unidiff-zero --ignore-whitespace --ignore-space-change",
    ),
  },
  "hash-object": { operands: "files", options: options("-t= --stdin --no-filters --path=") },
  "verify-pack": { operands: "files", options: options("-vs --verbose --stat-only") },
  // With this option it does not read the configuration, which may name programs.
  "interpret-trailers": {
    operands: "files",
    with: ["--parse", "--only-input"],
    options: options("--parse --only-input --only-trailers --unfold --no-divider"),
  },
  "check-mailmap": { operands: "text", options: options("--stdin") },
  column: { operands: "none", options: options("--mode= --raw-mode= --width= --indent= --padding=") },
  stripspace: { operands: "none", options: options("-sc --strip-comments --comment-lines") },
  "patch-id": { operands: "none", options: options("--stable --unstable --verbatim") },
  "get-tar-commit-id": { operands: "none", options: options("") },
  "sparse-checkout": { operands: "text", verbs: ["list"], needs: [], options: options("") },
  bundle: { operands: "files", verbs: ["verify", "list-heads"], needs: [], options: options("-q --quiet") },
  replace: { operands: "text", with: ["-l", "--list"], options: options("-l --list --format=") },
  archive: { operands: "none", with: ["-l", "--list"], options: options("-l --list") },
};

/** `git config` reads with one of these, or with only a name. Its options end at the first operand: a value follows. */
export const GIT_CONFIG = options(
  "-lz -f=< --file=< --get --get-all --get-regexp --get-urlmatch --get-color --list --local --global --system --worktree --show-origin --show-scope --name-only --null --bool --int --path --bool-or-int --type= --no-includes --default=",
);
export const GIT_CONFIG_GETS: readonly string[] = [
  "-l",
  "--list",
  "--get",
  "--get-all",
  "--get-regexp",
  "--get-urlmatch",
];

/** Options between `git` and the command. `-c` is judged by its value. */
export const GIT_GLOBAL = options(
  "-P -C=<< -c= --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --version --html-path --man-path --info-path --exec-path --no-lazy-fetch --no-advice",
);
