import { only } from "../../word/value.ts";
import type { ReaderGrammar } from "../grammar.ts";
import {
  bare,
  binary,
  files,
  HELP,
  inspectors,
  isPlainName,
  needs,
  noAddress,
  noDashes,
  noList,
  noneBegins,
  noPattern,
  onlyWords,
  text,
  unless,
  zipEndings,
} from "../inspect-tables.ts";
import { options, type Parsed, wholeOptions } from "../options.ts";

const none = options(HELP);
const ADDRESS = noneBegins(/^\w+:/, "It fetches what has an address.");

/** Names may not contain anything that the program, or a wrapper script, could misread. */
const PLAIN = ({ operands }: Parsed): string | undefined =>
  operands.every(isPlainName) ? undefined : "A name is not known, or odd.";

/** Limits the text of an option to a few values. */
const texts =
  (option: string, shape: RegExp) =>
  ({ given }: Parsed): string | undefined =>
    given.every(({ name, value }) => name !== option || shape.test(only(value) ?? "\n"))
      ? undefined
      : `With this ${option} it may write, or read something else.`;

/**
 * A program that packs and unpacks, to standard output, or in a mode that only tests or lists. Otherwise it replaces files. It also does so
 * with -d after -t, or with a file after the --version of bzip2.
 */
const unpacks = (letters: string, ...looks: readonly string[]): ReaderGrammar =>
  files(options(letters, "--stdout --decompress --test --list --keep --quiet --verbose"), {
    refuse: ({ has }) =>
      has("-c", "--stdout") || (has("-t", "--test", ...looks) && !has("-d", "--decompress"))
        ? undefined
        : "Without -c it writes files.",
  });
const LISTS = ["-l", "--list"] as const;

/** `7z l a.7z`: a word names the action, and the archive follows its options. */
const archiver = (verbs: RegExp, ...lines: readonly string[]): ReaderGrammar => ({
  operands: "read",
  options: wholeOptions(...lines),
  leading: 1,
  paths: 1,
  least: 2,
  refuse: unless(
    noList,
    ({ operands: [verb] }) => (verbs.test(only(verb) ?? "") ? undefined : "It may write an archive, or unpack one."),
    ({ operands, ...parsed }) => noPattern({ ...parsed, operands: operands.slice(1) }),
  ),
});
const seven = archiver(/^[lt]$/, "-slt -ba -bd -r");
const rar: ReaderGrammar = { ...archiver(/^([lv][bt]?[abt]?|t)$/, "-v -c- -p-"), endings: () => [".rar"] };

/** Programs of csvkit: their common options, and each program's own. */
const csv = (...lines: readonly string[]): ReaderGrammar =>
  files(
    options(
      "-tSHbl -d= -q= -e= -K= --tabs --no-header-row --delimiter= --encoding= --skip-lines= --zero",
      ...lines,
      HELP,
    ),
  );

const pkgConfig: ReaderGrammar = text(
  options(
    "--modversion --cflags --libs --libs-only-l --libs-only-L --libs-only-other --cflags-only-I --cflags-only-other --static --exists",
    "--list-all --list-package-names --variable= --print-variables --print-requires --print-requires-private --print-provides --print-errors",
    "--atleast-version= --exact-version= --max-version= --short-errors --silence-errors",
    HELP,
  ),
  { refuse: onlyWords(/^[\w.+-]+( *[<>=]+ *[\d.]+)?$|^[<>=]+$/) },
);

/** Programs that inspect packed files, binaries, pictures, sound, documents and the kernel's device information. */
export const packed: Readonly<Record<string, ReaderGrammar>> = {
  xz: unpacks("-cdklqtv", ...LISTS),
  lzma: unpacks("-cdkqtv"),
  unxz: unpacks("-ckqtv"),
  bzip2: unpacks("-cdkqtv"),
  bunzip2: unpacks("-ckqtv"),
  zstd: unpacks("-cdklqtv", ...LISTS),
  unzstd: unpacks("-ckqtv"),
  brotli: unpacks("-cdktv"),
  // The second name is written. In lz4 -l is an old format.
  lz4: { ...unpacks("-cdkqtv", "--list"), most: 1 },
  lz4cat: files(none, { most: 1 }),
  "7z": seven,
  "7za": seven,
  "7zr": seven,
  "7zz": seven,
  unrar: rar,
  lsar: files(wholeOptions("-l -L -v -vv -t -j -json")),
  bsdtar: {
    operands: "text",
    options: options("-tvzjJ -f=< --list --verbose --file=<", "--version"),
    // A first word without a dash contains options; after a name there are none.
    strict: true,
    refuse: unless(noDashes, needs("-t", "--list", "--version")),
  },
  cpio: {
    operands: "text",
    options: options("-itvn --list --extract --quiet --verbose"),
    refuse: needs("-t", "--list"),
  },
  zip: files(wholeOptions("-sf"), { most: 1, endings: zipEndings, refuse: unless(noPattern, needs("-sf")) }),
  unsquashfs: files(wholeOptions("-l -ll -lls -lln -lc -llc -s -stat"), {
    paths: 1,
    strict: true,
    refuse: unless(noDashes, needs("-l", "-ll", "-lls", "-lln", "-lc", "-llc", "-s", "-stat")),
  }),
  patchelf: files(
    options("--print-interpreter --print-rpath --print-soname --print-needed --print-os-abi --print-execstack", HELP),
    {
      refuse: needs(
        "--print-interpreter",
        "--print-rpath",
        "--print-soname",
        "--print-needed",
        "--print-os-abi",
        "--print-execstack",
        ...HELP.split(" "),
      ),
    },
  ),

  // c, u and i write a jar, x unpacks it.
  jar: files(options("-tv -f=< --list --verbose --file=<"), {
    strict: true,
    refuse: unless(noDashes, noList, ({ operands: [first], has }) =>
      has("-t", "--list") || /^(t|tv|vt)f$/.test(only(first) ?? "")
        ? undefined
        : "Without t an archive is written or unpacked.",
    ),
  }),
  javap: files(
    wholeOptions(
      "-p -private -protected -public -package -c -s -l -v -verbose -constants -sysinfo -cp=< -classpath=< --class-path=< -version --version",
    ),
    {
      endings: () => [".class"],
      refuse: unless(noList, ADDRESS, ({ given }) =>
        given.every(({ value }) => value === undefined || /^[^:]+$/.test(only(value) ?? ""))
          ? undefined
          : "A list of places is not followed.",
      ),
    },
  ),
  jdeps: files(
    wholeOptions(
      "-s -summary -v -verbose -R -recursive -q --list-deps --list-reduced-deps --print-module-deps --ignore-missing-deps --multi-release= -version",
    ),
    { refuse: noList },
  ),
  jps: { operands: "none", options: options("-qlmvV") },
  luac: files(options("-lpv"), { strict: true, refuse: unless(noDashes, needs("-p")) }),

  addr2line: {
    operands: "text",
    options: options("-afiCps -e=< -j= --exe=< --functions --inlines --demangle[=] --pretty-print --basenames", HELP),
    refuse: unless(noList, onlyWords(/^(0x)?[\da-fA-F]+$/)),
  },
  "llvm-nm": inspectors.nm!,
  "llvm-objdump": inspectors.objdump!,
  "llvm-readelf": inspectors.readelf!,
  "llvm-readobj": inspectors.readelf!,
  "llvm-size": inspectors.size!,
  "llvm-cxxfilt": text(none, { refuse: onlyWords(/^[^@-]/) }),
  rustfilt: text(none, { refuse: onlyWords(/^_/) }),
  lipo: files(wholeOptions("-info -archs -detailed_info"), {
    refuse: unless(noList, needs("-info", "-archs", "-detailed_info")),
  }),
  dwarfdump: binary("--uuid --debug-info --debug-line --verify"),
  "wasm-objdump": files(options("-hxdsr -j= --headers --details --disassemble --full-contents", HELP)),

  exa: inspectors.eza!,
  batcat: inspectors.bat!,
  lsd: {
    operands: "read",
    alone: "read",
    treeWith: ["-R", "--tree", "--recursive"],
    options: options(
      "-aAlhdFrtSXR1i --all --almost-all --long --tree --recursive --depth= --color= --icon= --blocks=",
      HELP,
    ),
  },
  dust: { operands: "tree", alone: "tree", options: options("-rsbcpf -d= -n= --depth= --reverse --no-colors", HELP) },
  duf: bare("-all -json"),
  sdiff: files(
    options("-silWbBEat -w= --suppress-common-lines --left-column --ignore-case --ignore-all-space --width=", HELP),
    {
      most: 2,
    },
  ),
  diffstat: files(options("-bcfklmqrstuv -p= -w= -n="), { refuse: PLAIN }),
  lsdiff: files(options("-nNsEHv -p= -i= -x= --strip= --number-files --line-number --status", HELP)),
  filterdiff: files(options("-v -p= -i= -x= --include= --exclude= --strip= --lines= --hunks= --clean", HELP)),
  b3sum: files(options("-l= --no-names --raw --length= --tag", HELP)),
  xxhsum: files(options("-q -H[=]")),
  crc32: files(options(""), { refuse: PLAIN }),
  gron: files(options("-cmksvu --colorize --monochrome --no-sort --stream --ungron --values --json", HELP), {
    refuse: ADDRESS,
  }),
  pup: text(options("-cpn -i= -l= -f=< --color --plain --number --indent= --file=<", HELP)),
  // After -wrap, a word that is not a number is a file.
  tidy: files(wholeOptions("-q -quiet -e -errors -i -indent -xml -utf8 -ashtml -asxml -asxhtml -wrap="), {
    refuse: texts("-wrap", /^\d+$/),
  }),
  uchardet: files(none),
  chardet: files(options("--version")),
  chardetect: files(options("--version")),
  ugrep: {
    operands: "tree",
    alone: "tree",
    leading: 1,
    leadingUnless: ["-e", "--regexp"],
    patterns: ["-g", "--include"],
    options: options(
      "-acEFGhHiIklLnoPqrRsTvwxS -A= -B= -C= -e=! -m= -g= -O= -t= --include= --exclude= --include-dir= --exclude-dir= --regexp=!",
      "--ignore-case --line-number --files-with-matches --count --word-regexp --fixed-strings --no-heading",
    ),
  },
  xsv: {
    operands: "read",
    leading: 1,
    options: options("-njr -d= -s= -l= --no-headers --just-names --rows --delimiter= --select= --limit="),
    refuse: ({ operands: [verb] }) =>
      /^(headers|count|stats|frequency|table|flatten)$/.test(only(verb) ?? "") ? undefined : "xsv may write something.",
  },

  csvcut: csv("-nx --names --columns= --not-columns= --delete-empty-rows", "-c= -C="),
  csvstat: csv(
    "-nI --csv --json --names --type --nulls --unique --min --max --sum --mean --median --stdev --len --freq --count",
    "-c= -y=",
  ),
  csvlook: csv("-I --max-rows= --max-columns= --max-column-width=", "-y="),
  csvgrep: csv("-nia --names --invert-match --any-match --columns= --match= --regex=", "-c= -m= -r="),
  // With -i it writes the files, `@file` contains further arguments, and a style may be a file.
  "clang-format": files(
    options("-n --dry-run --Werror --style= --fallback-style= --assume-filename= --lines= --ferror-limit=", HELP),
    { refuse: unless(noList, texts("--style", /^\w+$/)) },
  ),
  shfmt: { operands: "tree", options: wholeOptions("-d -l -f -s -ci -bn -sr -kp -i= -ln= -version --version") },
  yamllint: {
    operands: "tree",
    options: options("-s -f= -d= --strict --no-warnings --format=", HELP, "-v"),
    refuse: texts("-d", /^(relaxed|default)$/),
  },
  hadolint: files(options("-f= -t= --format= --ignore= --failure-threshold= --no-fail --no-color", HELP)),

  // Pictures and documents. Programs that follow names inside a file, or have too many formats, are not listed.
  pngcheck: files(options("-cfpqtv7")),
  webpinfo: files(wholeOptions("-summary -bitstream_info -diag -quiet")),
  gifsicle: files(options("-I --info --color-info --extension-info"), { refuse: needs("-I", "--info") }),
  pdffonts: files(wholeOptions("-f= -l= -subst"), { most: 1, refuse: noAddress }),
  pdfimages: files(wholeOptions("-list -f= -l="), { most: 1, refuse: unless(noAddress, needs("-list")) }),
  pdfdetach: files(wholeOptions("-list"), { most: 1, refuse: unless(noAddress, needs("-list")) }),
  qpdf: files(
    options(
      "--check --show-npages --show-encryption --is-encrypted --requires-password --list-attachments --show-pages",
      HELP,
    ),
    {
      most: 1,
      refuse: noList,
    },
  ),
  catdoc: files(options("-aw")),
  antiword: files(options("-t")),
  mdls: files(wholeOptions("-name= -raw")),
  plutil: files(wholeOptions("-p -lint -s -convert= -o="), {
    refuse: unless(texts("-o", /^-$/), ({ has }) =>
      has("-p", "-lint") !== has("-convert") && has("-convert") === has("-o")
        ? undefined
        : "Without -o - the file itself is converted.",
    ),
  }),

  // Information from the kernel. Operands and options that set something are not listed.
  fuser: text(options("-auvm46 -n=")),
  ethtool: text(options("-igkSac"), { most: 1, refuse: onlyWords(/^[\w.@:-]+$/) }),
  iwconfig: text(none, { most: 1 }),
  bridge: text(wholeOptions("-j -json -p -d -s -c"), { refuse: onlyWords(/^(link|fdb|mdb|vlan|show)$/) }),
  tc: text(wholeOptions("-j -json -p -d -s"), {
    refuse: unless(onlyWords(/^(qdisc|class|filter|show|ls|list|dev|[a-z]+\d[\w.]*|lo)$/), ({ operands: [, verb] }) =>
      verb === undefined || /^(show|ls|list)$/.test(only(verb) ?? "") ? undefined : "It may change something.",
    ),
  }),
  "ssh-keygen": {
    operands: "none",
    options: options("-lv -f=< -E="),
    refuse: ({ has }) =>
      has("-l") && has("-f") ? undefined : "Without -l and -f it looks into the home, or makes a key.",
  },
  pidstat: text(options("-urdwhlstI -p="), { refuse: onlyWords(/^\d+$/) }),
  sar: text(options("-urbBqSwW -n= -P="), { least: 1, refuse: onlyWords(/^\d+$/) }),
  modinfo: text(options("-adlpn0 -F= --field= --author --description --license --parameters --filename"), {
    refuse: onlyWords(/^[\w-]+$/),
  }),
  getfattr: files(options("-dh -m= -n= -e= --dump --absolute-names --only-values --match= --name= --encoding=", HELP)),
  getcap: files(options("-nv")),
  getenforce: bare(""),
  sestatus: bare("-bv"),
  "systemd-cgls": bare("-alk --all --full --no-pager"),
  "systemd-detect-virt": bare("-cvqr --container --vm --quiet --list"),
  "update-alternatives": {
    operands: "none",
    options: options("--list= --display= --query= --get-selections", HELP),
    refuse: needs("--list", "--display", "--query", "--get-selections", ...HELP.split(" ")),
  },
  "pkg-config": pkgConfig,
  pkgconf: pkgConfig,
  pacman: text(
    options(
      "-Qqilcdemnstk --query --quiet --info --list --changelog --deps --explicit --foreign --native --search --unrequired --check",
    ),
    { refuse: needs("-Q", "--query") },
  ),
  vm_stat: bare(""),
};
