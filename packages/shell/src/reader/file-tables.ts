import { only } from "../word/value.ts";
import type { ReaderGrammar } from "./grammar.ts";
import { apartOptions, options } from "./options.ts";

const HELP = "--help --version";

const grep: ReaderGrammar = {
  operands: "read",
  harmless: true,
  leading: 1,
  leadingUnless: ["-e", "-f", "--regexp", "--file"],
  treeWith: ["-r", "-R", "--recursive", "--dereference-recursive"],
  patterns: ["--include"],
  options: options(
    "-abcEFGhHiIlLnoPqrRsTuUvVwxyzZ -A= -B= -C= -e=! -f=< -m= -d= -D= -# --extended-regexp --fixed-strings --basic-regexp",
    "--perl-regexp --regexp=! --file=< --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages",
    "--invert-match --max-count= --byte-offset --line-number --line-buffered --with-filename --no-filename --label=",
    "--only-matching --quiet --silent --binary-files= --text --recursive --dereference-recursive",
    "--include= --exclude= --exclude-from=< --exclude-dir= --files-without-match --files-with-matches --count",
    // BSD accepts the text of --context= only in the same word.
    "--directories= --devices= --initial-tab --null --before-context= --after-context= --context[=] --color[=] --colour[=]",
    "--binary",
    HELP,
  ),
  refuse: ({ given }) =>
    given.every(({ name, value }) => !/^(-d|--directories)$/.test(name) || /^(read|skip)$/.test(only(value) ?? ""))
      ? undefined
      : "The action for folders is -r.",
};

const list: ReaderGrammar = {
  operands: "read",
  alone: "read",
  harmless: true,
  treeWith: ["-R", "--recursive"],
  options: options(
    "-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I= -T= -w= --all --almost-all --author --escape --block-size= --ignore-backups",
    "--color[=] --directory --dired --classify[=] --file-type --format= --full-time --group-directories-first --no-group",
    "--human-readable --si --dereference-command-line --dereference --hide= --hyperlink[=] --indicator-style= --inode --ignore=",
    "--kibibytes --literal --numeric-uid-gid --hide-control-chars --quote-name --quoting-style= --reverse --recursive --size",
    "--sort= --time= --time-style= --tabsize= --width= --context --zero",
    HELP,
  ),
};

/** Programs that search for files, search in files and show file metadata. */
export const fileReaders: Readonly<Record<string, ReaderGrammar>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  // --pre, --hostname-bin and -z run programs, so they are not listed.
  rg: {
    operands: "tree",
    alone: "tree",
    leading: 1,
    leadingUnless: ["-e", "-f", "--regexp", "--file", "--files", "--type-list"],
    patterns: ["-g", "--glob", "--iglob"],
    options: options(
      "-abcFHhIiLlNnoPpqSsUuvwx0. -A= -B= -C= -e=! -f=< -g= -j= -M= -m= -r= -T= -t= -d= -E= --after-context= --before-context= --context=",
      "--regexp=! --file=< --glob= --iglob= --type= --type-not= --type-list --type-add= --files --files-with-matches",
      "--files-without-match --count --count-matches --fixed-strings --ignore-case --case-sensitive --smart-case",
      "--line-number --no-line-number --with-filename --no-filename --hidden --no-hidden --no-ignore --no-ignore-vcs --follow",
      "--no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-files --no-ignore-exclude --max-count= --max-depth= --maxdepth=",
      "--max-filesize= --max-columns= --max-columns-preview --multiline --multiline-dotall --no-heading --heading --invert-match",
      "--json --null --null-data --only-matching --passthru --pcre2 --engine= --pretty --quiet --replace= --sort= --sortr=",
      "--stats --text --threads= --trim --unrestricted --vimgrep --word-regexp --line-regexp --color= --colors= --column",
      "--no-column --crlf --encoding= --no-messages --no-config --one-file-system --glob-case-insensitive --line-buffered",
      "--block-buffered --mmap --no-mmap --debug --context-separator= --field-match-separator= --no-unicode --byte-offset --binary",
      HELP,
    ),
    refuse: (parsed) =>
      parsed.has("--type-list", "--version", "--help") && parsed.operands.length > 0
        ? "It takes no operand here."
        : undefined,
  },
  fd: {
    operands: "tree",
    alone: "tree",
    leading: 1,
    options: options(
      "-HIuspgFa0Ll1qi -d= -t= -e= -E= -S= -c= -j= --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive",
      "--ignore-case --glob --fixed-strings --absolute-path --follow --full-path --print0 --max-depth= --min-depth= --exact-depth=",
      "--type= --extension= --exclude= --size= --changed-within= --changed-before= --color= --max-results= --prune --quiet",
      HELP,
    ),
  },
  dir: list,
  vdir: list,
  ls: list,
  tree: {
    operands: "tree",
    alone: "tree",
    // -o and -R write, --fromfile reads names from elsewhere, so they are not listed.
    options: apartOptions(
      "-adfiFhlnNpqrstuUvxACDgGJQSX -I= -L= -P= -H= -T= --charset= --dirsfirst --filesfirst --du --filelimit= --gitignore --inodes",
      "--noreport --prune --si --sort[=] --matchdirs --ignore-case --device --timefmt= --metafirst --info",
      HELP,
    ),
  },
  stat: {
    operands: "read",
    harmless: true,
    options: options("-fLtx -c= --dereference --file-system --format= --printf= --terse --cached=", HELP),
  },
  // -C compiles a magic file, -m and -f read lists from elsewhere, -z runs programs on some systems.
  file: {
    operands: "read",
    options: options(
      "-bhiIkLNnrs0E -e= -F= -P= --brief --mime --mime-type --mime-encoding --no-dereference --dereference --keep-going --no-pad",
      "--raw --print0 --extension --separator=",
      HELP,
    ),
  },
  du: {
    operands: "tree",
    alone: "tree",
    harmless: true,
    options: options(
      "-0abcDhHklLmPsSx -B= -d= -t= --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth=",
      "--human-readable --inodes --count-links --separate-dirs --si --summarize --threshold= --time[=] --time-style= --exclude=",
      "--one-file-system",
      HELP,
    ),
  },
  // It shows facts about the file system, even without an operand, but nothing about the named files.
  df: {
    operands: "text",
    harmless: true,
    options: options(
      "-ahHiklmPTv -B= -t= -x= --all --block-size= --human-readable --si --inodes --local --no-sync --output[=] --portability --total",
      "--type= --print-type --exclude-type=",
      HELP,
    ),
  },
  realpath: {
    operands: "read",
    harmless: true,
    options: options(
      "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero --relative-to= --relative-base=",
      HELP,
    ),
  },
  namei: { operands: "read", options: options("-lmnovx --long --modes --nosymlinks --owners --vertical") },
  readlink: {
    operands: "read",
    harmless: true,
    options: options(
      "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
      HELP,
    ),
  },
  gofmt: { operands: "tree", options: options("-l -d -e -s") },
  tar: {
    operands: "text",
    options: options(
      "-txOvzjJa -f=< --list --extract --get --to-stdout --verbose --gzip --bzip2 --xz --zstd --auto-compress --file=<",
      "--wildcards --strip-components= --exclude= --numeric-owner --full-time",
    ),
    refuse: (parsed) => {
      const unpacks = parsed.has("-x", "--extract", "--get");
      if (!parsed.has("-t", "--list") && !unpacks) return "Without -t an archive is written or unpacked.";
      if (unpacks && !parsed.has("-O", "--to-stdout")) return "Without -O an archive is unpacked into the folder.";
      const files = parsed.given.filter(({ name }) => name === "-f" || name === "--file");
      return files.length !== 1 || (only(files[0]!.value) ?? ":").includes(":")
        ? "An archive name with a colon is one on another machine."
        : undefined;
    },
  },
};
