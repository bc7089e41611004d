import { headsOf, mayBeOption, only, type Value } from "../word/value.ts";
import type { ReaderGrammar } from "./grammar.ts";
import { type OptionTable, options, type Parsed, wholeOptions } from "./options.ts";

export const HELP = "--help --version";

/** Words of the script that must be known to begin otherwise: what they could be taken for has effects. */
export const noneBegins =
  (start: RegExp, why: string) =>
  ({ operands }: Parsed): string | undefined =>
    operands.some((value) => headsOf(value).some((head) => head === "" || start.test(head))) ? why : undefined;

/** One of these options makes it a question. */
export const needs =
  (...names: readonly string[]) =>
  ({ has }: Parsed): string | undefined =>
    has(...names) ? undefined : `Without ${names[0]} it may change something.`;

/** Every operand is one of a few words. */
export const onlyWords =
  (shape: RegExp) =>
  ({ operands }: Parsed): string | undefined =>
    operands.every((value) => shape.test(only(value) ?? "\n")) ? undefined : "An operand may change something.";

/** For programs of which the options stand in front: what looks like one behind an operand is none. */
export const noDashes = ({ operands }: Parsed): string | undefined =>
  operands.some((value) => value.kind === "text" && mayBeOption(value)) ? "An option stands behind a name." : undefined;

/** Every reason for which a call is none, one after another. */
export const unless =
  (...reasons: readonly NonNullable<ReaderGrammar["refuse"]>[]) =>
  (parsed: Parsed): string | undefined => {
    for (const reason of reasons) {
      const why = reason(parsed);
      if (why !== undefined) return why;
    }
    return undefined;
  };

/** Poppler takes `file:///x` and what is on the network. */
export const noAddress = ({ operands }: Parsed): string | undefined =>
  operands.some((value) => headsOf(value).some((head) => /^\w+:/.test(head)))
    ? "What has an address may lie anywhere."
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

/** For programs that take `@file` for a file with further arguments: wherever it stands, behind an option that takes a text, too. */
export const noList = ({ operands, given }: Parsed): string | undefined =>
  [...operands, ...given.flatMap(({ value }) => value ?? [])].some((value) =>
    headsOf(value).some((head) => /^(@|$)/.test(head)),
  )
    ? "It reads further arguments from a file named @."
    : undefined;

/** Binutils take one: their `nm` loads the plugin that it names. */
export const binary = (...lines: readonly string[]): ReaderGrammar =>
  files(options(...lines, HELP), { refuse: noList });
const unpacked = files(options("-fkv", HELP));
/** Without one of its endings gzip tries each. */
const zipped = (table: OptionTable, more: Partial<ReaderGrammar> = {}): ReaderGrammar =>
  files(table, { ...more, endings: (name) => (/[._-](gz|z|tgz|taz)$/i.test(name) ? [] : [".gz", ".z", "-z", ".Z"]) });
/** Programs that take the name of an archive for a pattern. */
export const noPattern = ({ operands: [archive] }: Parsed): string | undefined =>
  headsOf(archive ?? { kind: "text", texts: [] }).some((head) => /[*?[\\]/.test(head))
    ? "The name of the archive is a pattern."
    : undefined;
export const zipEndings = (): readonly string[] => [".zip", ".ZIP"];
// The script around grep has been made to write by odd file names: only names that stand in the script.
const packedGrep = zipped(options("-cEFhHilnoqvwx -A= -B= -C= -e=! -m= --color[=]", HELP), {
  leading: 1,
  leadingUnless: ["-e"],
  refuse: ({ operands: [pattern, ...names], has }) =>
    (has("-e") ? [pattern, ...names] : names).every((value) => isPlainName(value))
      ? undefined
      : "The names of the archives are not known, or odd.",
});
/** A name that stands in the script and has nothing in it that a script around a program could misread. */
export const isPlainName = (value: Value | undefined): boolean =>
  value === undefined || (value.kind === "text" && value.texts.every((name) => /^[\w./@%+,=:-]*$/.test(name)));
/** An archive by its ending, or a commit: `HEAD` and `master` too. A commit is unpacked by git, which runs what the repository names. */
const UNPACKED =
  /\.(tar|t?gz|tgz|bz2|tbz2?|xz|txz|zip|Z|rpm|deb|whl|ear|war|jar|egg|7z)$|^([\da-f]{5,}|master|HEAD)(~\d*)?$/i;
const pager = (table: OptionTable): ReaderGrammar =>
  files(table, { refuse: noneBegins(/^\+/, "A word with + is a command of the pager.") });

const IP_OBJECTS = /^(a|addr|address|l|link|r|route|n|neigh|rule|maddress)$/;
/** The second word is a verb, and `ip` takes its beginnings: `a` is `add`, `r` is `replace`. */
const IP_VERBS = /^(sh|show|ls|list|get)$/;
const IP_NAMES = /^(dev|default|up|table|all|main|lo|\w[\w.:@-]*\d[\w.:@-]*)$/;

/** `ip addr show dev eth0`: what changes something has another verb. */
const ipShows = ({ operands }: Parsed): string | undefined => {
  const [object, verb, ...names] = operands.map((value) => only(value) ?? "");
  const isShown =
    (object === undefined || IP_OBJECTS.test(object)) &&
    (verb === undefined || IP_VERBS.test(verb)) &&
    names.every((name) => IP_NAMES.test(name));
  return isShown ? undefined : "An operand may change something.";
};

/** Programs that look into archives, binaries, pages, the network's set-up and installed packages. */
export const inspectors: Readonly<Record<string, ReaderGrammar>> = {
  // -r writes over the files, -d and -x unpack: none of them is here.
  // Behind the archive they take what looks like an option for the name of a member.
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
  // It takes the text of -A and its like for the pattern, and what follows for files.
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
  // -S shows the source files that the binary names, wherever they lie.
  objdump: binary(
    "-aCdDfFhlprRstTxw -j= -M= --disassemble[=] --all-headers --section= --syms --dynamic-syms --demangle[=] --no-show-raw-insn --section-headers --private-headers --full-contents --start-address= --stop-address=",
  ),
  // The first word is a command with its letters. A plugin would be loaded, `@file` has further arguments, and what `p` prints a thin
  // archive has elsewhere.
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
  // What has a slash in it is a file, as a page and as a section.
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
    // It unpacks archives and takes what looks like a commit out of git.
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

  // With a slash in it an encoding is a file with a table.
  iconv: files(options("-cls -f= -t= --from-code= --to-code= --list --silent", HELP), {
    refuse: ({ given }) =>
      given.every(
        ({ value }) => value === undefined || /^[\w.:+-]*(\/\/(TRANSLIT|IGNORE)?)*$/i.test(only(value) ?? "/"),
      )
        ? undefined
        : "An encoding may be a file.",
  }),
  // -a shows lines of sourced files, which a .shellcheckrc may have it look for anywhere.
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

  // It shows what a pattern finds: with -r it would show that rewritten, with -U write it, and other commands take rules from files.
  "ast-grep": {
    operands: "tree",
    alone: "tree",
    options: options(
      "-p=! -l= -A= -B= -C= --pattern=! --lang= --selector= --strictness= --json[=] --after= --before= --context= --globs= --color= --heading= --debug-query[=]",
      HELP,
    ),
    refuse: ({ has }) => (has("-p", "--pattern") ? undefined : "It is not known which command is meant."),
  },

  // The machine and its network. What sets something has an operand, and is not here.
  ip: text(
    wholeOptions("-4 -6 -0 -br -brief -j -json -p -pretty -s -stats -statistics -d -details -o -oneline -h -human"),
    { refuse: ipShows },
  ),
  ifconfig: text(options("-asvL"), { most: 1 }),
  // Without -n it asks the network for names.
  route: { ...bare("-46Cnev"), refuse: needs("-n", "--help", "--version") },
  // A host by its name asks the network for it.
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
  // With `..` in it, or what becomes that when dots and slashes change places, a name is a file anywhere.
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

  // Installed packages, from the lists of the machine.
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
          : "What it shows may be expanded as a macro, which runs programs.",
      ),
    },
  ),
};
