import { headsOf, mayBeOption, only, type Value } from "../word/value.ts";
import type { ReaderGrammar } from "./grammar.ts";
import { type OptionTable, options, type Parsed, wholeOptions } from "./options.ts";

export const HELP = "--help --version";

/** Words of the script must begin otherwise: read as one of these, they would have effects. */
export const noneBegins =
  (start: RegExp, why: string) =>
  ({ operands }: Parsed): string | undefined =>
    operands.some((value) => headsOf(value).some((head) => head === "" || start.test(head))) ? why : undefined;

/** With one of these options the call only asks. */
export const needs =
  (...names: readonly string[]) =>
  ({ has }: Parsed): string | undefined =>
    has(...names) ? undefined : `Without ${names[0]} it may change something.`;

/** Every operand is one of a few words. */
export const onlyWords =
  (shape: RegExp) =>
  ({ operands }: Parsed): string | undefined =>
    operands.every((value) => shape.test(only(value) ?? "\n")) ? undefined : "An operand may change something.";

/** For programs with options only in front: a dash after an operand does not make an option. */
export const noDashes = ({ operands }: Parsed): string | undefined =>
  operands.some((value) => value.kind === "text" && mayBeOption(value)) ? "An option stands behind a name." : undefined;

/** All reasons why a call is refused, checked one after another. */
export const unless =
  (...reasons: readonly NonNullable<ReaderGrammar["refuse"]>[]) =>
  (parsed: Parsed): string | undefined => {
    for (const reason of reasons) {
      const why = reason(parsed);
      if (why !== undefined) return why;
    }
    return undefined;
  };

/** Poppler accepts `file:///x` and network addresses. */
export const noAddress = ({ operands }: Parsed): string | undefined =>
  operands.some((value) => headsOf(value).some((head) => /^\w+:/.test(head)))
    ? "A path with an address may lie anywhere."
    : undefined;

export const text = (table: OptionTable, more: Partial<ReaderGrammar> = {}): ReaderGrammar => ({
  operands: "text",
  options: table,
  ...more,
});
export const files = (table: OptionTable, more: Partial<ReaderGrammar> = {}): ReaderGrammar => ({
  operands: "read",
  options: table,
  ...more,
});
export const bare = (...lines: readonly string[]): ReaderGrammar => ({
  operands: "none",
  options: options(...lines, HELP),
});

/** For programs that read `@file` as a file with further arguments, at any position, even as the text of an option. */
export const noList = ({ operands, given }: Parsed): string | undefined =>
  [...operands, ...given.flatMap(({ value }) => value ?? [])].some((value) =>
    headsOf(value).some((head) => /^(@|$)/.test(head)),
  )
    ? "It reads further arguments from a file named @."
    : undefined;

/** Binutils accept one: their `nm` loads the plugin that it names. */
export const binary = (...lines: readonly string[]): ReaderGrammar =>
  files(options(...lines, HELP), { refuse: noList });
const unpacked = files(options("-fkv", HELP));
/** If the file does not exist, gzip tries each of its endings. */
const zipped = (table: OptionTable, more: Partial<ReaderGrammar> = {}): ReaderGrammar =>
  files(table, { ...more, endings: (name) => (/[._-](gz|z|tgz|taz)$/i.test(name) ? [] : [".gz", ".z", "-z", ".Z"]) });
/** For programs that read the name of an archive as a pattern. */
export const noPattern = ({ operands: [archive] }: Parsed): string | undefined =>
  headsOf(archive ?? { kind: "text", texts: [] }).some((head) => /[*?[\\]/.test(head))
    ? "The name of the archive is a pattern."
    : undefined;
export const zipEndings = (): readonly string[] => [".zip", ".ZIP"];
// Odd file names have made the script around grep write files. So only names from the script are accepted.
const packedGrep = zipped(options("-cEFhHilnoqvwx -A= -B= -C= -e=! -m= --color[=]", HELP), {
  leading: 1,
  leadingUnless: ["-e"],
  refuse: ({ operands: [pattern, ...names], has }) =>
    (has("-e") ? [pattern, ...names] : names).every((value) => isPlainName(value))
      ? undefined
      : "The names of the archives are not known, or odd.",
});
/** A name that is in the script and contains nothing that a wrapper script could misread. */
export const isPlainName = (value: Value | undefined): boolean =>
  value === undefined || (value.kind === "text" && value.texts.every((name) => /^[\w./@%+,=:-]*$/.test(name)));
/** An archive by its ending, or a commit: `HEAD` and `master` too. Git unpacks a commit, and runs programs that the repository names. */
const UNPACKED =
  /\.(tar|t?gz|tgz|bz2|tbz2?|xz|txz|zip|Z|rpm|deb|whl|ear|war|jar|egg|7z)$|^([\da-f]{5,}|master|HEAD)(~\d*)?$/i;
const pager = (table: OptionTable): ReaderGrammar =>
  files(table, { refuse: noneBegins(/^\+/, "A word with + is a command of the pager.") });

const IP_OBJECTS = /^(a|addr|address|l|link|r|route|n|neigh|rule|maddress)$/;
/** The second word is a verb, and `ip` accepts abbreviations: `a` is `add`, `r` is `replace`. */
const IP_VERBS = /^(sh|show|ls|list|get)$/;
const IP_NAMES = /^(dev|default|up|table|all|main|lo|\w[\w.:@-]*\d[\w.:@-]*)$/;

/** `ip addr show dev eth0`: changes need another verb. */
const ipShows = ({ operands }: Parsed): string | undefined => {
  const [object, verb, ...names] = operands.map((value) => only(value) ?? "");
  const isShown =
    (object === undefined || IP_OBJECTS.test(object)) &&
    (verb === undefined || IP_VERBS.test(verb)) &&
    names.every((name) => IP_NAMES.test(name));
  return isShown ? undefined : "An operand may change something.";
};

/** Programs that inspect archives, binaries, manual pages, network settings and installed packages. */
export const inspectors: Readonly<Record<string, ReaderGrammar>> = {
  // -r overwrites files, -d and -x unpack, so they are not listed. After the archive a word like an option is the name of a member.
  unzip: files(options("-clpqtvZ12CM"), {
    ...{ least: 1, paths: 1, strict: true, endings: zipEndings },
    refuse: unless(noDashes, noPattern, needs("-c", "-l", "-p", "-t", "-v", "-Z")),
  }),
  zipinfo: files(options("-12hlmstvzCM"), {
    ...{ least: 1, paths: 1, strict: true, endings: zipEndings },
    refuse: unless(noDashes, noPattern),
  }),
  zcat: zipped(options("-fkv", HELP)),
  gzcat: zipped(options("-fkv", HELP)),
  gunzip: zipped(options("-cdfklqtv --stdout --list --test --quiet --verbose", HELP), {
    refuse: needs("-c", "--stdout", "-l", "--list", "-t", "--test"),
  }),
  bzcat: unpacked,
  xzcat: unpacked,
  lzcat: unpacked,
  zstdcat: unpacked,
  zgrep: packedGrep,
  zegrep: packedGrep,
  zfgrep: packedGrep,
  xzgrep: packedGrep,
  // It reads the text of -A and similar options as the pattern, and the rest as files.
  bzgrep: {
    ...packedGrep,
    options: options("-cEFhHilnoqvwx --color[=]", HELP),
    strict: true,
    refuse: unless(noDashes, packedGrep.refuse!),
  },
  gzip: zipped(options("-cdklqtv --list --test --stdout --decompress --verbose --quiet", HELP), {
    refuse: needs("-l", "-t", "-c", "--list", "--test", "--stdout", "--version", "--help"),
  }),
  nm: binary(
    "-aABCDgjlnopPrSuUvW -f= --demangle[=] --dynamic --defined-only --undefined-only --extern-only --print-size --size-sort --numeric-sort",
  ),
  readelf: binary(
    "-aAcdeghIlnrsStuVW -x= -p= --string-dump= --hex-dump= --all --file-header --headers --segments --sections --symbols --dyn-syms --notes --relocs --dynamic --wide",
    "--section-headers --section-details --program-headers --syms --unwind --version-info --arch-specific --histogram --archive-index --lto-syms",
  ),
  // -S shows the source files that the binary names, wherever they are.
  objdump: binary(
    "-aCdDfFhlprRstTxw -j= -M= --disassemble[=] --all-headers --section= --syms --dynamic-syms --demangle[=] --no-show-raw-insn --section-headers --private-headers --full-contents --start-address= --stop-address=",
  ),
  // The first word is a command with its letters. A plugin would be loaded, and `@file` contains further arguments. For a thin archive `p`
  // prints files from elsewhere.
  ar: files(options(""), {
    least: 2,
    refuse: ({ operands: [command, ...names] }) =>
      /^t[vO]*$/.test(only(command) ?? "") &&
      names.every((name) => isPlainName(name) && only(name)?.startsWith("@") === false)
        ? undefined
        : "Without t an archive is written, unpacked, or another file shown.",
    leading: 1,
    paths: 1,
  }),
  getfacl: files(options("-acdEnPpst --access --default --numeric --omit-header --skip-base --tabular", HELP)),
  lsattr: files(options("-adlpv"), { alone: "read" }),
  infocmp: text(options("-1CILTdclnpqrux -s= -w=", "-V"), { refuse: onlyWords(/^[\w.+-]+$/) }),
  size: binary("-ABdotx --format= --radix= --totals"),
  less: pager(options("-aAeEfFgGiImMnNqrRsSuUwX")),
  more: pager(options("-dflpcsu")),
  bat: files(
    options(
      "-pnAPu -r= -l= -H= --plain --number --show-all --style= --color= --decorations= --paging= --line-range= --language= --theme= --wrap= --tabs= --terminal-width= --no-paging --highlight-line= --diff",
      HELP,
    ),
    { refuse: noneBegins(/^cache$/, "cache is a command of its own.") },
  ),
  eza: {
    operands: "read",
    alone: "read",
    treeWith: ["-T", "-R", "--tree", "--recurse"],
    options: options(
      "-1aAbBdDfFghHiIlmnrRsSTuUxX@ -L= -s= -t= --all --long --tree --recurse --level= --git-ignore --icons[=] --color= --group-directories-first --sort= --reverse --header --no-user --no-time --no-permissions --only-dirs --only-files --time= --time-style= --git",
      HELP,
    ),
  },
  // A page or section with a slash is a file.
  man: text(options("-afkwW -s= --all --apropos --whatis --where --path", HELP), {
    refuse: ({ operands, given }) =>
      [...operands, ...given.flatMap(({ value }) => value ?? [])].every((value) =>
        /^[\w.:,+-]+$/.test(only(value) ?? ""),
      )
        ? undefined
        : "A page may be a file.",
  }),
  apropos: text(options("-aelrw -s=", HELP)),
  whatis: text(options("-lrw -s=", HELP)),
  bc: files(options("-ilqsw --mathlib --quiet --standard --warn", HELP)),
  xmllint: files(
    wholeOptions(
      "--noout --format --nonet --recover --huge --noblanks --nowarning --html --xpath= --pretty= --encode= --version",
    ),
    {
      refuse: unless(noneBegins(/^[a-z]+:/i, "It fetches what has an address."), ({ operands }) =>
        operands.some((value) => headsOf(value).some((head) => head === "" || head.includes("%")))
          ? "A name with % in it stands for another one."
          : undefined,
      ),
    },
  ),
  tput: text(options(""), { least: 1, most: 1, refuse: onlyWords(/^(cols|lines|colors|longname)$/) }),
  stty: text(options("-ag --all --save"), { refuse: onlyWords(/^(size|speed)$/) }),
  pdfinfo: files(wholeOptions("-meta -f= -l= -box -isodates -rawdates"), { most: 1, refuse: noAddress }),
  pdftotext: files(wholeOptions("-f= -l= -layout -raw -nopgbrk -enc= -q"), {
    least: 2,
    most: 2,
    refuse: unless(noAddress, ({ operands }) =>
      only(operands[1]) === "-" ? undefined : "The text is written to a file.",
    ),
  }),
  cloc: {
    operands: "tree",
    alone: "tree",
    // It unpacks archives and extracts apparent commits from git.
    refuse: ({ operands }) =>
      operands.every((value) => isPlainName(value) && headsOf(value).every((name) => !UNPACKED.test(name)))
        ? undefined
        : "It may unpack what it is given.",
    options: options(
      "--by-file --by-file-by-lang --json --csv --md --quiet --hide-rate --exclude-dir= --include-lang= --exclude-lang= --exclude-ext= --include-ext= --not-match-d= --match-f= --fullpath",
    ),
  },
  tokei: {
    operands: "tree",
    alone: "tree",
    options: options("-fCs -e= -t= -o= --files --exclude= --type= --sort= --output= --hidden --no-ignore", HELP),
  },
  scc: {
    operands: "tree",
    alone: "tree",
    options: options(
      "-acwz -f= -s= -i= -x= --by-file --format= --sort= --include-ext= --exclude-ext= --exclude-dir= --no-cocomo --no-complexity --wide --ci",
    ),
  },

  // An encoding with a slash is a file with a table.
  iconv: files(options("-cls -f= -t= --from-code= --to-code= --list --silent", HELP), {
    refuse: ({ given }) =>
      given.every(
        ({ value }) => value === undefined || /^[\w.:+-]*(\/\/(TRANSLIT|IGNORE)?)*$/i.test(only(value) ?? "/"),
      )
        ? undefined
        : "An encoding may be a file.",
  }),
  // -a shows lines of sourced files, which a .shellcheckrc may place anywhere.
  shellcheck: files(
    options("-V -f= -s= -e= -i= -S= -o= -C[=] --format= --shell= --exclude= --severity= --color[=]", HELP),
  ),
  otool: files(options("-LlhtvVDdIaf"), { refuse: noList }),
  ag: {
    operands: "tree",
    alone: "tree",
    leading: 1,
    options: options(
      "-aciHlLnoQsSuvw -A= -B= -C= -G= -m= --nocolor --color --nogroup --group --hidden --ignore= --depth= --files-with-matches",
      "--cc --cpp --css --go --html --java --js --json --markdown --php --python --ruby --rust --shell --sql --swift --ts --xml --yaml",
    ),
  },

  // It shows the matches of a pattern. With -r it would show them rewritten, with -U write them; other commands read rules from files.
  "ast-grep": {
    operands: "tree",
    alone: "tree",
    options: options(
      "-p=! -l= -A= -B= -C= --pattern=! --lang= --selector= --strictness= --json[=] --after= --before= --context= --globs= --color= --heading= --debug-query[=]",
      HELP,
    ),
    refuse: ({ has }) => (has("-p", "--pattern") ? undefined : "It is not known which command is meant."),
  },

  // The machine and its network. Forms with an operand that sets something are not listed.
  ip: text(
    wholeOptions("-4 -6 -0 -br -brief -j -json -p -pretty -s -stats -statistics -d -details -o -oneline -h -human"),
    { refuse: ipShows },
  ),
  ifconfig: text(options("-asvL"), { most: 1 }),
  // Without -n it asks the network for names.
  route: { ...bare("-46Cnev"), refuse: needs("-n", "--help", "--version") },
  // A host name causes a network lookup.
  arp: text(options("-aenv -i="), { most: 1, refuse: onlyWords(/^\d+(\.\d+){3}$/) }),
  mount: { operands: "none", options: options("-l -t=", "--version") },
  findmnt: text(
    options("-abDefiJlnPruvy -o= -t= -T= -S= -M= --output= --target= --json --list --df --types= --noheadings", HELP),
  ),
  lsmod: bare(""),
  // -q asks the network for names.
  lspci: bare("-bDkmntvx -s= -d="),
  lsusb: bare("-tv -s= -d="),
  dmesg: bare(
    "-dehkLPrTtuxw -f= -l= --level= --facility= --ctime --reltime --kernel --decode --since= --until= --time-format= --color[=] --nopager",
  ),
  w: text(options("-fhiosu", HELP)),
  last: text(options("-aFiwxR -# -n= -s= -t= --since= --until= --limit=", HELP)),
  journalctl: text(
    options(
      "-aefkqrx -b[=] -g= -n= -o= -p= -S= -t= -u= -U= --unit= --user-unit= --lines= --since= --until= --priority= --output=",
      "--no-pager --boot[=] --dmesg --reverse --follow --grep= --list-boots --disk-usage --no-hostname --utc --quiet --all --user --system",
      HELP,
    ),
    { most: 0 },
  ),
  top: { operands: "none", options: options("-bcHiS -n= -d= -o= -p= -u= -w[=]"), refuse: needs("-b") },
  iostat: text(options("-cdhkmNtxyz -p=")),
  mpstat: text(options("-Au -P=")),
  // A name that contains `..`, or contains it after swapping dots and slashes, may be any file.
  sysctl: text(options("-aeNnq --all --names --values", HELP), { refuse: onlyWords(/^[\w*-]+([./][\w*-]+)*$/) }),
  getent: text(options("", HELP), {
    refuse: ({ operands: [first] }) =>
      /^(passwd|group|services|protocols)$/.test(only(first) ?? "") ? undefined : "It may ask the network.",
  }),
  lsb_release: bare("-acdirsv --all --id --description --release --codename --short"),
  hostnamectl: text(options("--static --json= --pretty --no-pager", HELP), { refuse: onlyWords(/^status$/) }),
  timedatectl: text(options("-ap= --no-pager --property= --value --all", HELP), {
    refuse: onlyWords(/^(status|show)$/),
  }),
  sw_vers: {
    operands: "none",
    options: wholeOptions("-productName -productVersion -buildVersion --productName --productVersion --buildVersion"),
  },
  "nvidia-smi": bare("-Lq -i= -d= --query-gpu= --query-compute-apps= --format= --list-gpus --query --id= --display="),
  crontab: { operands: "none", options: options("-l"), refuse: needs("-l") },

  // Installed packages, from the local lists.
  dpkg: text(
    options(
      "-lLsSVp -c=< --contents=< --list --listfiles --status --search --get-selections --print-architecture --print-foreign-architectures --no-pager --verify --version --help",
      "--compare-versions",
    ),
    {
      refuse: needs(
        "-l",
        "-L",
        "-s",
        "-S",
        "-V",
        "-p",
        "-c",
        "--contents",
        "--list",
        "--listfiles",
        "--status",
        "--search",
        "--get-selections",
        "--print-architecture",
        "--print-foreign-architectures",
        "--compare-versions",
        "--verify",
        "--version",
        "--help",
      ),
    },
  ),
  "dpkg-query": text(options("-lLsSWp -f= --list --listfiles --status --search --show --showformat= --no-pager", HELP)),
  rpm: text(
    options(
      "-qacdfilR --query --all --info --list --file --requires --provides --queryformat= --qf= --version --changelog",
    ),
    {
      refuse: unless(needs("-q", "--query", "--version"), ({ given }) =>
        given.every(({ value }) => value === undefined || only(value)?.includes("expand") === false)
          ? undefined
          : "Its output may be expanded as a macro, which runs programs.",
      ),
    },
  ),
};
